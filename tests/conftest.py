"""Settings for all tests."""

import os

from hypothesis import settings

# Machines differ in speed, so no example has a deadline; where many people depend on the
# outcome, the examples are the same every time.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
