"""The options of `symoro.identify`: one row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symoro.findings import Finding
from symoro.identification.arrays import NumberOrRow
from symoro.identification.estimate.essential import RULES
from symoro.identification.estimate.methods import METHODS
from symoro.identification.estimate.physical import WAYS
from symoro.identification.process.measurements import READING
from symoro.identification.process.processing import MODELS
from symoro.identification.regress.friction import LAWS
from symoro.motion.trajectory import Trajectory
from symoro.options import (
    AUTO,
    FLAG,
    NONE,
    Choice,
    Kind,
    Number,
    Option,
    Reference,
    Schema,
    Text,
    Value,
    Whole,
    is_number,
)


class NumbersByName(Kind):
    """A dictionary of numbers by name; NAME=NUMBER on the command line, which may be repeated."""

    annotation = "Mapping[str, float]"
    repeated = True

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, Mapping) and all(isinstance(k, str) and is_number(x) for k, x in value.items())

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("estimates.by_name")]

    def read(self, text: Any) -> Any:
        words = [one.partition("=") for one in text]
        try:
            return {name.strip(): float(number) for name, _, number in words}
        except ValueError:
            return text


def _are_boxes(x: Any) -> bool:
    return isinstance(x, Mapping) and all(Whole().accepts(link) and _are_corners(box) for link, box in x.items())


def _are_corners(box: Any) -> bool:
    try:
        corners = np.asarray(box, dtype=float)
    except (TypeError, ValueError):
        return False
    return corners.shape == (2, 3) and bool(np.isfinite(corners).all())


def _is_controller(x: Any) -> bool:
    from symoro.motion.controller import Controller

    return isinstance(x, Controller) or callable(x)


PROCESSING = (
    Option(
        "model", Choice(MODELS), "dynamic",
        "dynamic; filtered or energy need no accelerations.",
        "dynamic ; filtered ou energy n'ont pas besoin d'accélérations.",
        metavar="NAME",
    ),
    Option(
        "cutoff", Number("Hz", more_than=0) | AUTO | NONE, "auto",
        "Of the filter of positions.",
        "Du filtre des positions.",
        metavar="HZ",
    ),
    Option(
        "decimation", Whole(1) | AUTO | NONE, "auto",
        "How many samples become one.",
        "Combien d'échantillons en deviennent un.",
        metavar="N",
    ),
    Option(
        "delay", NumberOrRow("motor", "s") | AUTO, 0.0,
        "Of torques, or auto.",
        "Des couples, ou auto.",
        metavar="SECONDS",
    ),
    Option(
        "dead_zone", NumberOrRow("joint") | AUTO | NONE, "auto",
        "Speeds below which rows are left out: one, or by joint.",
        "Vitesses au-dessous desquelles les lignes sont omises : une, ou par articulation.",
        metavar="V1,V2,…",
    ),
    Option(
        "border", Whole(0) | NONE, None,
        "Samples that are left out at each end of a run.",
        "Échantillons omis à chaque bout d'un essai.",
        metavar="N",
    ),
)  # fmt: skip
FIT = (
    Option(
        "method", Choice(METHODS), "wls",
        "ols, wls, irls, tls; iv, didim, cloe.",
        "ols, wls, irls, tls ; iv, didim, cloe.",
        metavar="NAME", short="-m",
    ),
    Option(
        "essential", Choice(RULES) | NONE, None,
        "Fewer parameters: sigma, bic or aic.",
        "Moins de paramètres : sigma, bic ou aic.",
        metavar="RULE",
    ),
    Option(
        "physical", FLAG | Choice(WAYS), False,
        "Standard parameters of bodies that can exist.",
        "Paramètres standard de corps qui peuvent exister.",
    ),
    Option(
        "prior", Number(more_than=0) | NONE, None,
        "The description's values are known with this relative deviation.",
        "Les valeurs de la description sont connues avec cet écart relatif.",
        metavar="PART",
    ),
    Option(
        "boxes",
        Value("Mapping[int, Sequence[Sequence[float]]]", _are_boxes, Finding("estimates.corners")) | NONE, None,
        "Corners of links, in which their masses are.",
        "Coins de corps, entre lesquels sont leurs masses.",
        flag=False,
    ),
    Option(
        "payload", Reference(Finding("estimates.link")) | NONE, None,
        "Identify what a link of a known robot carries.",
        "Identifier ce que porte un corps d'un robot connu.",
        metavar="LINK",
    ),
    Option(
        "known", NumbersByName() | NONE, None,
        "A parameter that is known; may be repeated.",
        "Un paramètre connu ; peut être répété.",
        metavar="NAME=NUMBER",
    ),
)  # fmt: skip
IDENTIFY = Schema(
    "identify",
    (
        *FIT,
        Option(
            "friction", Choice(("auto", *LAWS)) | NONE, None,
            "A law, or auto; else as the robot describes it.",
            "Une loi, ou auto ; sinon comme le robot la décrit.",
            metavar="LAW",
        ),
        Option(
            "offset", FLAG | NONE, None,
            "Add a constant torque to each motor.",
            "Ajouter un couple constant à chaque moteur.",
        ),
        *PROCESSING,
        *READING,
        Option(
            "controller", Value("Controller | Law", _is_controller, Finding("estimates.controller")) | NONE, None,
            "The controller of the robot, for iv, didim and cloe.",
            "La commande du robot, pour iv, didim et cloe.",
            flag=False,
        ),
        Option(
            "reference",
            Value("Trajectory", lambda x: isinstance(x, Trajectory), Finding("estimates.trajectory")) | NONE, None,
            "The motion that it followed.",
            "Le mouvement qu'elle suivait.",
            flag=False,
        ),
        Option(
            "alike", FLAG, False,
            "The legs of a parallel robot share their parameters.",
            "Les jambes d'un robot parallèle partagent leurs paramètres.",
        ),
        Option(
            "stream", FLAG, False,
            "Read .npy and .parquet files in pieces.",
            "Lire les fichiers .npy et .parquet par morceaux.",
        ),
        Option(
            "scheduler", Text(Finding("estimates.scheduler")) | NONE, None,
            "Pieces by Dask: local, or an address.",
            "Les morceaux par Dask : local, ou une adresse.",
            metavar="ADDRESS",
        ),
        Option(
            "workers", Whole(1), 2,
            "How many pieces are read at a time.",
            "Combien de morceaux sont lus à la fois.",
            metavar="N",
        ),
    ),
)  # fmt: skip


def chosen(of: Sequence[Option], options: Mapping[str, Any]) -> dict[str, Any]:
    """Some of the options, with their values."""
    return {option.name: options[option.name] for option in of}
