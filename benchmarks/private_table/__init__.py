# SPDX-License-Identifier: Apache-2.0
"""Private synthetic rows against ARX's differential privacy on adult_arx."""
