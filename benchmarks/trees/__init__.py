# SPDX-License-Identifier: Apache-2.0
"""The study of the kACTUS-2 paper: trees and their rivals on five data sets."""
