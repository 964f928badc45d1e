"""The ten categories of the catalogue: cost level, elasticity, shape of the day, nouns and their seasons."""

from __future__ import annotations

from typing import Final, NamedTuple


class Noun(NamedTuple):
    """A noun with the amplitude of its season and the day (from 0) of its peak."""

    name: str
    amplitude: float
    peak: int


class Category(NamedTuple):
    """A category: scale of procurement cost, mean and jitter of the elasticity, relative demand by hour."""

    name: str
    scale: float
    elasticity: float
    jitter: float
    hours: tuple[int, ...]
    nouns: tuple[Noun, ...]


def _by_hour(numbers: str) -> tuple[int, ...]:
    return tuple(map(int, numbers.split()))


CATEGORIES: Final = (
    Category(
        name="office",
        scale=0.60,
        elasticity=2.10,
        jitter=0.12,
        hours=_by_hour("8 5 4 4 6 12 25 45 75 105 120 115 100 95 105 118 125 105 78 55 38 25 16 10"),
        nouns=(
            Noun("notebook", 0.5, 85),
            Noun("pen", 0.4, 85),
            Noun("calendar", 1.0, 200),
            Noun("stapler", 0.1, 90),
            Noun("desk mat", 0.1, 120),
            Noun("folder", 0.3, 85),
            Noun("whiteboard", 0.2, 85),
            Noun("label tape", 0.1, 140),
        ),
    ),
    Category(
        name="womenswear",
        scale=1.20,
        elasticity=2.25,
        jitter=0.18,
        hours=_by_hour("12 8 6 5 5 8 14 22 35 55 75 86 80 76 82 95 112 135 155 170 150 110 70 35"),
        nouns=(
            Noun("dress", 0.7, 20),
            Noun("down jacket", 1.2, 190),
            Noun("sun hat", 1.1, 35),
            Noun("scarf", 1.0, 185),
            Noun("cardigan", 0.7, 135),
            Noun("skirt", 0.6, 15),
            Noun("leggings", 0.4, 150),
            Noun("blouse", 0.3, 320),
        ),
    ),
    Category(
        name="pet_garden",
        scale=0.90,
        elasticity=1.80,
        jitter=0.12,
        hours=_by_hour("20 14 10 8 10 18 34 56 74 88 96 102 100 98 102 110 122 132 130 116 92 64 42 28"),
        nouns=(
            Noun("cat bed", 0.5, 180),
            Noun("leash", 0.1, 320),
            Noun("seed kit", 0.9, 290),
            Noun("planter", 0.6, 305),
            Noun("pet fan", 1.0, 40),
            Noun("garden hose", 0.7, 345),
            Noun("pet treat", 0.1, 100),
            Noun("bird feeder", 0.4, 160),
        ),
    ),
    Category(
        name="appliances",
        scale=2.00,
        elasticity=1.70,
        jitter=0.12,
        hours=_by_hour("8 5 4 4 5 8 16 28 45 65 82 92 90 86 92 105 120 138 155 162 142 102 58 26"),
        nouns=(
            Noun("desk fan", 1.2, 35),
            Noun("space heater", 1.2, 195),
            Noun("humidifier", 0.8, 200),
            Noun("kettle", 0.3, 170),
            Noun("rice cooker", 0.2, 150),
            Noun("mosquito lamp", 1.1, 30),
            Noun("hair dryer", 0.2, 160),
            Noun("juicer", 0.5, 20),
        ),
    ),
    Category(
        name="home_decor",
        scale=1.10,
        elasticity=1.90,
        jitter=0.14,
        hours=_by_hour("10 7 5 5 7 12 24 42 62 78 90 98 94 90 96 108 122 138 148 140 116 82 48 22"),
        nouns=(
            Noun("quilt", 0.9, 180),
            Noun("cool mat", 1.1, 30),
            Noun("curtain", 0.2, 110),
            Noun("cushion", 0.2, 140),
            Noun("lantern", 1.0, 245),
            Noun("rug", 0.5, 170),
            Noun("wall clock", 0.1, 120),
            Noun("tablecloth", 0.3, 235),
        ),
    ),
    Category(
        name="home_goods",
        scale=0.70,
        elasticity=1.95,
        jitter=0.15,
        hours=_by_hour("12 8 6 6 8 14 28 48 70 88 100 106 100 96 100 108 120 132 138 126 102 72 44 22"),
        nouns=(
            Noun("thermos", 0.8, 180),
            Noun("storage jar", 0.1, 100),
            Noun("hanger", 0.2, 110),
            Noun("umbrella", 0.5, 15),
            Noun("hot water bag", 1.1, 190),
            Noun("ice tray", 1.0, 30),
            Noun("lunch box", 0.4, 85),
            Noun("slippers", 0.5, 170),
        ),
    ),
    Category(
        name="cleaning",
        scale=0.70,
        elasticity=2.10,
        jitter=0.14,
        hours=_by_hour("8 5 4 4 6 12 28 54 86 112 128 130 118 106 102 106 114 120 114 94 70 46 26 12"),
        nouns=(
            Noun("mop", 0.4, 235),
            Noun("dish cloth", 0.2, 235),
            Noun("storage box", 0.2, 110),
            Noun("sprayer", 0.2, 320),
            Noun("lint roller", 0.5, 165),
            Noun("dust mask", 0.3, 180),
            Noun("bin bag", 0.1, 100),
            Noun("dehumidifier bag", 0.7, 10),
        ),
    ),
    Category(
        name="toys",
        scale=0.90,
        elasticity=2.10,
        jitter=0.18,
        hours=_by_hour("10 6 5 5 6 10 18 30 46 62 78 90 88 86 94 112 136 158 168 150 116 76 42 20"),
        nouns=(
            Noun("building set", 0.5, 200),
            Noun("water gun", 1.2, 35),
            Noun("kite", 0.9, 300),
            Noun("plush bear", 0.5, 250),
            Noun("puzzle", 0.3, 240),
            Noun("bubble wand", 0.8, 345),
            Noun("toy car", 0.3, 0),
            Noun("board game", 0.5, 240),
        ),
    ),
    Category(
        name="bags",
        scale=1.40,
        elasticity=1.85,
        jitter=0.14,
        hours=_by_hour("10 6 5 5 6 10 18 30 48 68 84 94 90 86 92 106 124 142 158 156 130 92 54 24"),
        nouns=(
            Noun("school bag", 0.9, 80),
            Noun("suitcase", 0.5, 110),
            Noun("tote", 0.3, 350),
            Noun("wallet", 0.3, 245),
            Noun("backpack", 0.5, 85),
            Noun("beach bag", 1.0, 35),
            Noun("laptop bag", 0.2, 90),
            Noun("waist bag", 0.3, 320),
        ),
    ),
    Category(
        name="sports",
        scale=1.20,
        elasticity=1.75,
        jitter=0.14,
        hours=_by_hour("10 6 5 5 8 18 42 68 78 82 86 92 90 88 94 108 128 150 158 138 104 70 40 20"),
        nouns=(
            Noun("yoga mat", 0.4, 275),
            Noun("swim goggles", 1.1, 40),
            Noun("ski gloves", 1.1, 205),
            Noun("jump rope", 0.3, 290),
            Noun("water bottle", 0.5, 30),
            Noun("tent", 0.7, 335),
            Noun("badminton set", 0.5, 320),
            Noun("cycling cap", 0.4, 330),
        ),
    ),
)

STYLES: Final = (
    "plain",
    "soft",
    "bright",
    "compact",
    "classic",
    "foldable",
    "sturdy",
    "light",
    "slim",
    "double",
    "striped",
    "matte",
    "mini",
    "large",
    "nordic",
    "retro",
    "quiet",
    "quick",
    "portable",
    "thick",
    "clear",
    "woven",
    "magnetic",
    "gift",
)

NOUNS: Final = 8
KEYWORDS: Final = len(CATEGORIES) * NOUNS


def keyword_name(number: int) -> str:
    """Return the noun of a keyword (0 to 79)."""
    return CATEGORIES[number // NOUNS].nouns[number % NOUNS].name


def keyword_category(number: int) -> str:
    """Return the name of a keyword's category."""
    return CATEGORIES[number // NOUNS].name
