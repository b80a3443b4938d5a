"""Lets tests share helpers: `from laws.strategies import programs`, `from unit.ir.precise import precise`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
