"""`python -m ftlab`: the command line, where the script `ftlab` is not on the path."""

import sys

from ftlab._program import main

# Python has put this file's path there, and nobody calls that.
sys.argv[0] = "ftlab"
sys.exit(main())
