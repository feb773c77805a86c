# SPDX-License-Identifier: Apache-2.0
"""Audits of the differentially private methods: what is claimed beside a lower bound of what is lost."""
