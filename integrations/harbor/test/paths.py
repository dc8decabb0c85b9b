"""Puts the package where `import` finds it, and names the folders of the tests."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
REPOSITORY = ROOT.parent.parent

sys.path.insert(0, str(ROOT / "src"))
