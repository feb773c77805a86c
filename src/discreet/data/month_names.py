# SPDX-License-Identifier: Apache-2.0
"""Names of months and weekdays in the languages in which dates are read. No name means two months."""

from __future__ import annotations

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
jan feb mar apr may jun jul aug sept oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
jänner feber mär apr mai juni juli aug sept okt nov dez
jan feb mrz apr mai jun jul aug sep okt nov dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janv févr mars avr mai juin juil août sept oct nov déc
janv fevr mars avr mai juin juil aout sept oct nov dec
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sep oct nov dic
ene feb mar abr may jun jul ago set oct nov dic
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sep okt nov dec
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
januari februari mars april maj juni juli augusti september oktober november december
jan feb mar apr maj jun jul aug sep okt nov dec
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
jan feb mars apr mai juni juli aug sep okt nov des
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
янв фев мар апр май июн июл авг сен окт ноя дек
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
január február március április május június július augusztus szeptember október november december
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
"""
_FINNISH = "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu"  # 25. maaliskuuta 2024
MONTHS = {name: place for line in _MONTHS.split("\n") for place, name in enumerate(line.split(), start=1)}
MONTHS |= {f"{name}kuuta": place for place, name in enumerate(_FINNISH.split(), start=1)}

_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim
lunes martes miércoles jueves viernes sábado domingo lun mar mié jue vie sáb dom
"""
WEEKDAYS = tuple(dict.fromkeys(spelt for name in _WEEKDAYS.split() for spelt in (name, name.capitalize())))
