"""Settings for all tests."""

import os

from hypothesis import HealthCheck, settings

# Machines differ in speed and in what else they do, so no example has a deadline and drawing one
# may take its time; where many people depend on the outcome, the examples are the same every time.
slow_is_fine = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", **slow_is_fine)
settings.register_profile("ci", derandomize=True, **slow_is_fine)
settings.load_profile("ci" if os.environ.get("CI") else "default")
