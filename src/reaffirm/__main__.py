"""``python -m reaffirm``: the same as the command ``reaffirm``."""

import sys

from reaffirm.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
