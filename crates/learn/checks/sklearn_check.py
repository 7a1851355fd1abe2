#!/usr/bin/env python3
"""Compares scenthound-learn with scikit-learn on the same generated data, then their speed.

Needs numpy, scipy and scikit-learn (any Python environment; the project's own tests need none of it):

    python crates/learn/checks/sklearn_check.py

Builds and runs the example `against_sklearn`. Ends with code 1 if a figure is outside its tolerance.
"""
import pathlib, subprocess, sys, tempfile, time

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from scipy.stats import chi2_contingency
from sklearn.calibration import _SigmoidCalibration
from sklearn.datasets import dump_svmlight_file
from sklearn.ensemble import RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, mutual_info_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KernelDensity
from sklearn.svm import SVC, LinearSVC

ROOT = pathlib.Path(__file__).resolve().parents[3]
FAILED = []


def documents(rng, rows, features, words, tell=0.15):
    """Word counts by Zipf's law, log-weighted, unit length; the class shifts some of the words."""
    ranks = np.arange(1, features + 1)
    base = 1 / ranks
    base /= base.sum()
    topical = rng.permutation(features)
    labels = rng.random(rows) < 0.4
    picks, places, ends = [], [], [0]
    for label in labels:
        count = rng.poisson(words) + 1
        drawn = rng.choice(features, count, p=base)
        shifted = rng.random(count) < tell
        drawn[shifted] = topical[(drawn[shifted] + (features // 2 if label else 0)) % features]
        place, times = np.unique(drawn, return_counts=True)
        values = 1 + np.log(times)
        picks.append(values / np.sqrt((values**2).sum()))
        places.append(place)
        ends.append(ends[-1] + len(place))
    matrix = sp.csr_matrix((np.concatenate(picks), np.concatenate(places), ends), shape=(rows, features))
    # Both sides read the numbers as they are written, in single precision.
    matrix.data = matrix.data.astype(np.float32).astype(np.float64)
    return matrix, labels.astype(int)


def write(path, matrix, labels):
    # The last feature is always there, so that both sides count the same features.
    dump_svmlight_file(matrix, 2 * labels - 1, str(path), zero_based=False)


def ours(folder, name):
    return np.loadtxt(folder / f"ours-{name}.txt", ndmin=1)


def near(name, found, expected, tolerance):
    off = float(np.max(np.abs(np.asarray(found) - np.asarray(expected))))
    verdict = "ok" if off <= tolerance else "OUTSIDE"
    if off > tolerance:
        FAILED.append(name)
    print(f"{name:24} largest difference {off:.2e}   tolerance {tolerance:.0e}   {verdict}")


def run(*arguments):
    command = ["cargo", "run", "-q", "-p", "scenthound-learn", "--release", "--example", "against_sklearn", "--"]
    return subprocess.run(command + list(arguments), cwd=ROOT, check=True, capture_output=True, text=True).stdout


def agreement(folder):
    rng = np.random.default_rng(1)
    matrix, labels = documents(rng, 900, 400, 30)
    train, test = matrix[:600], matrix[600:]
    y, truth = labels[:600], labels[600:]
    write(folder / "train.svm", train, y)
    write(folder / "test.svm", test, truth)
    centres = rng.normal(size=(4, 9)) * 1.5
    classes = rng.integers(4, size=1500)
    table = (centres[classes] + rng.normal(size=(1500, 9)) * 1.5).astype(np.float32)
    for name, part in [("train", slice(0, 700)), ("test", slice(700, None))]:
        np.savetxt(folder / f"{name}.tsv", np.column_stack([classes[part], table[part]]), fmt=["%d"] + ["%.9g"] * 9)
    run(str(folder))

    bayes = MultinomialNB().fit(train, y).predict_joint_log_proba(test)
    near("naive Bayes", ours(folder, "bayes"), bayes[:, 1] - bayes[:, 0], 1e-4)
    svm = LinearSVC(tol=1e-8, max_iter=1_000_000).fit(train, y).decision_function(test)
    near("linear SVM", ours(folder, "svm"), svm, 1e-4)
    hinge = LinearSVC(loss="hinge", class_weight="balanced", tol=1e-8, max_iter=1_000_000).fit(train, y)
    near("linear SVM, hinge", ours(folder, "svm-hinge"), hinge.decision_function(test), 1e-3)
    lr = LogisticRegression(tol=1e-10, max_iter=10_000).fit(train, y)
    near("logistic", ours(folder, "logistic"), lr.decision_function(test), 1e-4)
    lr = LogisticRegression(C=30, class_weight="balanced", tol=1e-10, max_iter=10_000).fit(train, y)
    near("logistic, balanced C=30", ours(folder, "logistic-balanced"), lr.decision_function(test), 1e-3)
    rbf = SVC(C=3, gamma="scale", tol=1e-6).fit(train, y)
    near("RBF SVM", ours(folder, "rbf"), rbf.decision_function(test), 1e-3)

    dense, probe = train.toarray(), test.toarray()
    present = dense > 0
    chi = [
        chi2_contingency([[p[y == 1].sum(), (~p[y == 1]).sum()], [p[y == 0].sum(), (~p[y == 0]).sum()]], False)[0]
        if 0 < p.sum() < len(p) else 0.0
        for p in present.T
    ]
    near("chi-square", ours(folder, "chi-square"), chi, 1e-6)
    gain = [mutual_info_score(y, p) for p in present.T]
    near("information gain", ours(folder, "information-gain"), gain, 1e-6)

    odds = np.full(len(probe), np.log((y == 1).sum() / (y == 0).sum()))
    for feature in range(dense.shape[1]):
        column = dense[:, feature]
        span = column.max() - column.min()
        if span == 0:
            continue
        logs = []
        for label in (1, 0):
            seen = column[y == label]
            kde = KernelDensity(bandwidth=span / np.sqrt(len(seen))).fit(seen[:, None])
            density = np.exp(kde.score_samples(probe[:, feature][:, None]))
            logs.append(np.log((density * len(seen) + 1 / span) / (len(seen) + 1)))
        odds += logs[0] - logs[1]
    near("kernel-density Bayes", ours(folder, "kernel-bayes"), odds, 1e-3)

    scores = ours(folder, "svm-hinge")
    platt = _SigmoidCalibration().fit(scores, truth).predict(scores)
    near("Platt", ours(folder, "platt"), platt, 1e-3)
    iso = IsotonicRegression(out_of_bounds="clip").fit(scores, truth).predict(scores)
    near("isotonic", ours(folder, "isotonic"), iso, 1e-5)
    near("AUC, Brier", ours(folder, "figures"), [roc_auc_score(truth, scores), brier_score_loss(truth, ours(folder, "platt"))], 1e-6)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    held = cross_val_predict(LinearSVC(), train, y, cv=folds, method="decision_function")
    near("AUC by 5 folds", ours(folder, "folds"), [roc_auc_score(y, held)], 2e-2)
    forest = [
        (RandomForestClassifier(100, random_state=seed).fit(table[:700], classes[:700]).predict(table[700:]) == classes[700:]).mean()
        for seed in range(5)
    ]
    mine = (ours(folder, "forest") == classes[700:]).mean()
    print(f"{'forest accuracy':24} ours {mine:.4f}, theirs {min(forest):.4f} to {max(forest):.4f}")
    near("forest accuracy", mine, np.mean(forest), 2e-2)


def speed(folder):
    rng = np.random.default_rng(2)
    matrix, labels = documents(rng, 20_000, 60_000, 200)
    write(folder / "train.svm", matrix, labels)
    print(f"\n{matrix.shape[0]} documents, {matrix.shape[1]} features, {matrix.nnz} values; seconds, best of three")
    theirs = {}
    for name, model in [("bayes", MultinomialNB()), ("svm", LinearSVC()), ("logistic", LogisticRegression(max_iter=1000))]:
        took = []
        for _ in range(3):
            began = time.perf_counter()
            model.fit(matrix, labels)
            took.append(time.perf_counter() - began)
        theirs[name] = min(took)
    mine = {}
    for _ in range(3):
        for line in run(str(folder), "speed").splitlines():
            name, seconds, _ = line.split()
            mine[name] = min(float(seconds), mine.get(name, 1e9))
    for name, seconds in theirs.items():
        ratio = mine[name] / seconds
        limit = "" if name == "logistic" else ("   ok" if ratio <= 2 else "   OVER TWICE")
        if "OVER" in limit:
            FAILED.append(f"speed of {name}")
        print(f"{name:12} ours {mine[name]:.3f}   scikit-learn {seconds:.3f}   ratio {ratio:.2f}{limit}")


with tempfile.TemporaryDirectory() as name:
    agreement(pathlib.Path(name))
    speed(pathlib.Path(name))
sys.exit(f"outside: {', '.join(FAILED)}" if FAILED else 0)
