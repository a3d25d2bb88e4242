# SPDX-License-Identifier: Apache-2.0
"""How much hypothesis tries: less in a coarse run, as those of toolchain/test are."""
import os

import hypothesis

examples = 40 if "UNIHIST_TEST_COARSE" in os.environ else 400
hypothesis.settings.register_profile("unihist", max_examples=examples, deadline=None, derandomize=True, database=None,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("unihist")
