# SPDX-License-Identifier: Apache-2.0
"""The command discreet with a method, tds, that never ends in the processes of a study: so a study cannot end itself.

python holding.py compare ...  is `discreet compare ...`. The processes of a study run this file as they begin.
"""

import time

from discreet import TopDownSpecialization
from discreet.cli.app import main


def held(*_):
    time.sleep(3600)


if __name__ == "__mp_main__":  # in a process of a study
    TopDownSpecialization._plan = held

if __name__ == "__main__":
    main()
