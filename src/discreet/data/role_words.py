# SPDX-License-Identifier: Apache-2.0
"""Words in the names of columns that suggest what a column is: English, German, French, Spanish, Italian, Portuguese,
Dutch, Swedish, Danish, Norwegian, Polish; the commonest ones in Russian, Japanese, Chinese and Korean.

A name is cut into words at everything that is no letter and where small letters meet capitals. A word of the lists fits
a word of the name that begins with it; a short one, of three letters or fewer, must be the whole word, or the lists
would find an age in an average and a sex in a sextant. Words of East Asia are not spaced: they fit where they occur.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

# What outsiders plausibly know about a person, by how they come to know it.
KNOWN_TO_OUTSIDERS: dict[str, tuple[str, ...]] = {
    "age": (
        *("age", "ages", "aged", "born", "birth", "dob", "yob", "alter", "geburt", "geboren", "jahrgang"),
        *("naissance", "edad", "nacimiento", "eta", "nascita", "idade", "nascimento", "leeftijd", "geboorte"),
        *("alder", "fodt", "fodd", "fodelse", "fodsel", "wiek", "urodzenia", "urodzony", "lebensalter", "birthday"),
        *("возраст", "рождения", "родился", "年齢", "年龄", "生年月日", "誕生", "出生", "나이", "생년", "연령"),
    ),
    "sex": (
        *("sex", "sexe", "sexo", "sesso", "gender", "geschlecht", "genre", "genero", "genere", "geslacht"),
        *("kon", "kjonn", "plec", "female", "male"),
        *("пол", "性別", "性别", "성별"),
    ),
    "origin": (
        *("race", "ethnic", "nation", "native", "citizen", "country", "origin", "foreign", "immigra", "migra"),
        *("language", "tongue", "herkunft", "staatsang", "ausland", "sprache", "muttersprache", "pays", "origine"),
        *("langue", "pais", "origen", "idioma", "paese", "cittadinanza", "lingua", "origem", "land", "herkomst"),
        *("nationaliteit", "medborgarskap", "sprak", "kraj", "obywatelstwo", "jezyk", "hautfarbe", "skin"),
        *("гражданство", "национальность", "国籍", "民族", "국적"),
    ),
    "place": (
        *("zip", "zipcode", "postal", "postcode", "plz", "city", "town", "village", "county", "state"),
        *("region", "province", "district", "municip", "borough", "parish", "neighbourhood", "neighborhood"),
        *("residence", "location", "place", "area", "geo", "latitude", "longitude", "lat", "lon", "address"),
        *("ort", "wohnort", "stadt", "gemeinde", "kreis", "landkreis", "bundesland", "kanton", "bezirk", "adresse"),
        *("ville", "commune", "departement", "codepostal", "lieu", "ciudad", "provincia", "municipio", "codigopostal"),
        *("citta", "comune", "regione", "cap", "cidade", "estado", "concelho", "cep", "stad", "gemeente", "woonplaats"),
        *("kommun", "kommune", "postnummer", "miasto", "gmina", "wojewodztwo", "postleit"),
        *("город", "индекс", "адрес", "регион", "раион", "область", "市", "市区町村", "都道府県", "住所", "郵便番号"),
        *("地域", "城市", "省份", "邮编", "地址", "지역", "도시", "주소", "우편번호"),
    ),
    "work": (
        *("occupation", "job", "profession", "work", "workclass", "employ", "industry", "career", "hours", "rank"),
        *("beruf", "arbeit", "tatigkeit", "branche", "metier", "emploi", "travail", "ocupacion", "profesion", "empleo"),
        *("trabajo", "professione", "lavoro", "occupazione", "profissao", "emprego", "trabalho", "beroep", "baan"),
        *("yrke", "erhverv", "stilling", "zawod", "praca", "employer", "department", "abteilung"),
        *("профессия", "должность", "работа", "職業", "勤務先", "职业", "직업"),
    ),
    "education": (
        *("education", "school", "degree", "college", "university", "study", "studies", "grade", "bildung", "schul"),
        *("abschluss", "ausbildung", "studium", "diplome", "ecole", "formation", "educacion", "escuela", "estudios"),
        *("istruzione", "scuola", "titolo", "educacao", "escolaridade", "opleiding", "diploma"),
        *("utbildning", "utdanning", "uddannelse", "wyksztalcenie", "szkola"),
        *("образование", "школа", "学歴", "学历", "학력"),
    ),
    "family": (
        *(
            "marital",
            "married",
            "marriage",
            "family",
            "relationship",
            "child",
            "children",
            "kids",
            "household",
            "spouse",
        ),
        *("dependents", "dependants", "parents", "siblings", "familie", "familienstand", "verheiratet", "kinder"),
        *("haushalt", "etatcivil", "famille", "enfants", "menage", "casado", "hijos", "familia", "estadocivil"),
        *("statocivile", "famiglia", "figli", "filhos", "casada", "burgerlijke", "gezin", "kinderen"),
        *("civilstand", "barn", "familj", "hushall", "rodzina", "dzieci", "stancywilny"),
        *("семеиное", "дети", "婚姻", "配偶者", "家族", "世帯", "결혼"),
    ),
    "home": ("housing", "house", "home", "rent", "tenure", "wohnung", "haus", "miete", "logement", "vivienda", "casa"),
    "looks": (
        "height",
        "weight",
        "bmi",
        "gewicht",
        "poids",
        "peso",
        "stature",
        "hair",
        "eye",
        "eyes",
        "grosse",
        "korpergrosse",
        "taille",
        "estatura",
        "altezza",
    ),
    "time": (
        *("date", "day", "month", "year", "time", "admission", "admitted", "admit", "discharge", "visit", "arrival"),
        *("datum", "tag", "monat", "jahr", "aufnahme", "entlassung", "besuch", "jour", "mois", "annee", "entree"),
        *("fecha", "dia", "mes", "ano", "ingreso", "alta", "data", "giorno", "mese", "anno", "ricovero", "dimissione"),
        *("дата", "год", "日付", "入院日", "退院日", "日期", "날짜"),
    ),
}

SENSITIVE = (
    *("diag", "disease", "illness", "drug", "medication", "medicine", "income", "salary", "wage", "religion", "faith"),
    *("criminal", "convict", "hiv", "icd", "disab", "sexual", "politic", "party", "union", "debt", "credit"),
    *("krankheit", "medikament", "einkommen", "gehalt", "lohn", "behinderung", "vorstrafe", "partei", "maladie"),
    *("medicament", "revenu", "salaire", "handicap", "enfermedad", "medicamento", "salario", "renta", "religione"),
    *("malattia", "farmaco", "reddito", "stipendio", "doenca", "renda", "ziekte", "inkomen", "loon", "geloof"),
    *("sjukdom", "sygdom", "sykdom", "inkomst", "indkomst", "inntekt", "choroba", "dochod", "wynagrodzenie"),
    *("диагноз", "болезнь", "доход", "зарплата", "религия", "病名", "診断", "疾患", "収入", "年収", "給与", "宗教"),
    *("诊断", "疾病", "工资", "진단", "질병", "소득"),
)

# Whose row it is, and what names one person.
PERSONS = (
    *("patient", "person", "customer", "client", "member", "subject", "participant", "respondent", "user", "student"),
    *("employee", "insured", "ssn", "kunde", "kunden", "versicherte", "versicherten", "mitglied", "teilnehmer"),
    *("proband", "mitarbeiter", "schuler", "nutzer", "assure", "adherent", "salarie", "paciente", "cliente", "usuario"),
    *("alumno", "empleado", "paziente", "utente", "dipendente", "funcionario", "patienten", "klant", "deelnemer"),
    *("medewerker", "deltagare", "pasient", "pacjent", "klient", "bsn", "nir", "cpr", "personnummer", "pesel", "cpf"),
    *("dni", "nif", "nhs", "codicefiscale", "steuerid", "sozialversicherungsnummer", "rodnecislo", "svnr", "ahv"),
)
IDENTITIES = (
    *("name", "firstname", "lastname", "fullname", "surname", "forename", "username", "nickname", "login", "email"),
    *("mail", "phone", "telephone", "mobile", "cellphone", "fax", "address", "street", "passport", "account", "iban"),
    *(
        "licence",
        "license",
        "licenseplate",
        "url",
        "website",
        "ip",
        "mac",
        "imei",
        "cardnumber",
        "vorname",
        "nachname",
        "familienname",
    ),
    *("telefon", "handy", "anschrift", "adresse", "strasse", "hausnummer", "konto", "ausweis", "kennzeichen", "prenom"),
    *("nom", "courriel", "portable", "rue", "compte", "nombre", "apellido", "correo", "telefono", "direccion", "calle"),
    *("cuenta", "nome", "cognome", "indirizzo", "sobrenome", "endereco", "telefone", "naam"),
    *("voornaam", "achternaam", "adres", "telefoon", "rekening", "namn", "fornamn", "efternamn", "navn", "fornavn"),
    *("efternavn", "etternavn", "imie", "nazwisko", "ulica", "signature", "unterschrift"),
    *(
        "имя",
        "фамилия",
        "отчество",
        "телефон",
        "паспорт",
        "氏名",
        "名前",
        "姓名",
        "電話",
        "电话",
        "이름",
        "성명",
        "전화",
    ),
)

# What stands beside a person in the name of a column of persons: patient_id, but not patient_weight.
_NUMBERING = frozenset(
    {"id", "ids", "nr", "nbr", "no", "num", "number", "key", "code", "ref", "identifier", "hash", "uuid", "index"}
    | {"nummer", "kennung", "schlussel", "numero", "numer", "matricule", "pseudonym", "token", "record", "unique"}
)

_BARE = frozenset({"id", "ids", "uuid", "identifier", "kennung", "matricule", "pseudonym"})  # numbers, and nothing else

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORT = 3
_EASTERN = "\u3000"  # words with signs of East Asia are behind it
_OPAQUE = re.compile(r"(?:[a-z]{0,3}|attr|attribute|col|column|var|variable|feature|field|spalte|colonne)[\W_]*\d*")


def words_of(name: str) -> list[str]:
    """The words of a column's name, small and without accents, so that й is и.

    >>> words_of("NativeCountry"), words_of("zip_code"), words_of("Körpergröße")
    (['native', 'country'], ['zip', 'code'], ['korpergrosse'])
    """
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", name).replace("ß", "ss"))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign)).lower()
    return [word for word in re.split(r"[^a-zа-я]+", letters) if word]


def fits(name: str, listed: Iterable[str]) -> bool:
    """Whether a word of the name begins with a listed one; two of its words may stand for one that is listed.

    >>> fits("maritalStatus", ["marital"]), fits("average", ["age"]), fits("etat civil", ["etatcivil"])
    (True, False, True)
    """
    words = words_of(name)
    found = [*words, *(one + other for one, other in pairwise(words))]
    if not name.isascii() and any(_occurs(known, name) for known in listed if known > _EASTERN):
        return True
    return any(one == known or (len(known) > _SHORT and one.startswith(known)) for one in found for known in listed)


def _occurs(known: str, name: str) -> bool:
    return known == name.strip() or (len(known) > 1 and known in name)


def names_persons(name: str) -> bool:
    """Whether a name says that each value is a person: a person, and at most a word for numbers beside it.

    >>> [names_persons(name) for name in ("patient_nbr", "KundenNr", "person_income", "clients")]
    [True, True, False, False]
    """
    words = words_of(name)
    whole = "".join(words)
    if whole in PERSONS or any(whole == person + number for person in PERSONS for number in _NUMBERING):
        return True
    beside = [word for word in words if word not in PERSONS]
    return len(words) - len(beside) == 1 and all(word in _NUMBERING for word in beside)


def names_numbers(name: str) -> bool:
    """Whether a name says that each value stands for something, and not for what.

    >>> [names_numbers(name) for name in ("id", "unique_ID", "order_id", "x1")]
    [True, True, False, False]
    """
    words = words_of(name)
    return not _BARE.isdisjoint(words) and _NUMBERING.issuperset(words)


def known_by(name: str) -> str | None:
    """The topic by which outsiders plausibly know a column of this name, or None.

    >>> known_by("geburtsdatum"), known_by("metformin"), known_by("zip")
    ('age', None, 'place')
    """
    return next((topic for topic, listed in KNOWN_TO_OUTSIDERS.items() if fits(name, listed)), None)


def says_nothing(name: str) -> bool:
    """Whether a name is a mere number or letter.

    >>> says_nothing("x12"), says_nothing("Attribute 3"), says_nothing("glucose")
    (True, True, False)
    """
    return _OPAQUE.fullmatch(name.strip().lower()) is not None
