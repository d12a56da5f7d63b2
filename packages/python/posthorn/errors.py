"""One class per error code."""

from ._generated.errors import *
