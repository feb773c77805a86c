# SPDX-License-Identifier: Apache-2.0
"""Methods on tables side by side, over k: accuracy, AUC, log-loss, detail, use without recoding, CPU seconds."""
