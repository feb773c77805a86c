# SPDX-License-Identifier: Apache-2.0
"""The studio: the whole flow in the browser. It builds a recipe and runs what the commands run."""
