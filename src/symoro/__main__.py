"""python -m symoro is the command line."""

from symoro.cli import main

if __name__ == "__main__":
    main()
