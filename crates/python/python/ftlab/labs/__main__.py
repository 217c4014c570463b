"""`python -m ftlab.labs`."""

import sys

from ftlab.labs._command_line import main

if __name__ == "__main__":
    sys.exit(main())
