# SPDX-License-Identifier: Apache-2.0
"""Our learners beside Weka's, on the same rows."""
