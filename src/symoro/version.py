"""The version of symoro, which the package, the command line and generated code say."""

__version__ = "0.1.0"
