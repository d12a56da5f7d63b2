"""What goes in and comes out, with the names of the API."""

from ._generated.types import *
