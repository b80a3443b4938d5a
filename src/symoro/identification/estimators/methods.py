"""The methods of identification by their names."""

from __future__ import annotations

from collections.abc import Callable

from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.instruments import direct_and_inverse, instrumental
from symoro.identification.estimators.least_squares import ordinary, weighted
from symoro.identification.estimators.output_error import output_error
from symoro.identification.estimators.total import total

BY_TRIANGLES: dict[str, Callable[..., Estimate]] = {"ols": ordinary, "wls": weighted, "tls": total}
"""Methods that need the triangular factors of the rows alone; they take the blocks of time, too."""
SIMULATING = {"iv": instrumental, "didim": direct_and_inverse, "cloe": output_error}
"""Methods that simulate the robot under its controller."""
METHODS = ("ols", "wls", "irls", "tls", *SIMULATING)
"""All methods; irls, which is robust, needs the rows themselves."""
