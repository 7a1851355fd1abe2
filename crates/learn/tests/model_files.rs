//! How damaged, foreign and forged model files are handled.

#![allow(
    clippy::unwrap_used,
    reason = "a test's own data; a failure there is the test's failure"
)]

use proptest::prelude::*;
use scenthound_learn::{
    Bag, Damage, FeatureTable, ForestSettings, KernelBayes, LinearModel, ModelFile, ModelFileFault, Network,
    NetworkSettings, RandomForest, RbfSettings, RbfSvm, Rng, SparseRows, SparseVector, SvmSettings,
    VectorSettings, Vectoriser, fit_svm,
};
use serde::{Deserialize, Serialize};

/// One of each kind of model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Everything {
    vectoriser: Vectoriser,
    linear: LinearModel,
    rbf: RbfSvm,
    kernel: KernelBayes,
    network: Network,
    forest: RandomForest,
}

impl ModelFile for Everything {
    const KIND: &'static str = "everything";
    const VERSION: u16 = 3;
}

#[derive(Serialize, Deserialize, Debug)]
struct Other;

impl ModelFile for Other {
    const KIND: &'static str = "other";
    const VERSION: u16 = 1;
}

#[derive(Serialize, Deserialize, Debug)]
struct Later;

impl ModelFile for Later {
    const KIND: &'static str = "everything";
    const VERSION: u16 = 4;
}

fn documents() -> (Vec<Bag>, Vec<bool>) {
    let mut rng = Rng::from_seed(1);
    let labels: Vec<bool> = (0..24).map(|n| n % 2 == 0).collect();
    let bags = labels
        .iter()
        .map(|label| {
            let topic = if *label { 100 } else { 200 };
            Bag::new((0..12).map(|_| {
                let from = if rng.fraction() < 0.5 { topic } else { 0 };
                (from + rng.below(9) as u64, 1.0)
            }))
        })
        .collect();
    (bags, labels)
}

fn everything() -> Everything {
    let (bags, labels) = documents();
    let vectoriser = Vectoriser::fit(&bags, VectorSettings::LOG_TF_IDF, 1);
    let vectors: Vec<SparseVector> = bags.iter().map(|bag| vectoriser.vector(bag)).collect();
    let rows = SparseRows::of(vectoriser.features(), vectors.iter().map(SparseVector::row));
    let mut table = FeatureTable::new(2);
    for (at, label) in labels.iter().enumerate() {
        table
            .push(&[at as f32 % 5.0, f32::from(u8::from(*label)) + at as f32 / 20.0])
            .unwrap();
    }
    let classes: Vec<u32> = labels.iter().map(|label| u32::from(*label)).collect();
    let few = ForestSettings {
        trees: 5,
        ..ForestSettings::default()
    };
    Everything {
        linear: fit_svm(&rows, &labels, &SvmSettings::default()).unwrap(),
        rbf: RbfSvm::fit(&rows, &labels, &RbfSettings::default()).unwrap(),
        kernel: KernelBayes::fit(&rows, &labels).unwrap(),
        network: Network::fit(&rows, &labels, &NetworkSettings::default()).unwrap(),
        forest: RandomForest::fit(&table, &classes, 2, &few).unwrap(),
        vectoriser,
    }
}

/// Uses every part; nothing may panic or run forever.
fn use_it(model: &Everything) -> f64 {
    let (bags, _) = documents();
    let mut sum = 0.0;
    for bag in &bags {
        let vector = model.vectoriser.vector(bag);
        sum += model.linear.score(vector.row())
            + model.rbf.score(vector.row())
            + model.kernel.score(vector.row())
            + model.network.score(vector.row());
    }
    for row in [&[0.0_f32, 0.0][..], &[9.0, 9.0], &[]] {
        sum += model.forest.predict(row).1;
    }
    sum
}

#[test]
fn a_model_read_back_answers_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.model");
    let model = everything();
    model.save(&path).unwrap();
    let read = Everything::load(&path).unwrap();
    assert_eq!(read, model);
    assert_eq!(use_it(&read), use_it(&model));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_same_training_gives_the_same_bytes() {
    assert_eq!(everything().to_bytes(), everything().to_bytes());
}

#[test]
fn a_wrong_file_is_refused_with_a_clear_message() {
    let bytes = everything().to_bytes();
    let said = |damage: Damage| damage.to_string();
    assert_eq!(
        said(Everything::from_bytes(b"<html>").unwrap_err()),
        "not a model file of Scenthound"
    );
    assert_eq!(
        said(Other::from_bytes(&bytes).unwrap_err()),
        "holds a model of kind \"everything\", but one of kind \"other\" is needed"
    );
    assert_eq!(
        said(Later::from_bytes(&bytes).unwrap_err()),
        "holds version 3 of kind \"everything\", but this program reads version 4; train the model again"
    );
    let mut future = bytes.clone();
    future[8] = 9;
    assert!(matches!(
        Everything::from_bytes(&future),
        Err(Damage::Format { found: 9, .. })
    ));
    let missing = Everything::load(std::path::Path::new("no/such.model")).unwrap_err();
    assert!(matches!(missing, ModelFileFault::File { .. }));
    assert!(missing.to_string().contains("no/such.model"), "{missing}");
}

#[test]
fn every_cut_and_every_changed_byte_is_noticed() {
    let bytes = everything().to_bytes();
    for length in (0..bytes.len()).step_by(7) {
        assert!(
            Everything::from_bytes(&bytes[..length]).is_err(),
            "cut at {length}"
        );
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        assert!(Everything::from_bytes(&changed).is_err(), "changed at {at}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(Everything::from_bytes(&longer), Err(Damage::Length));
}

/// Wraps any body in a header with the right length and checksum.
fn forge(body: &[u8]) -> Vec<u8> {
    let kind = Everything::KIND.as_bytes();
    let mut bytes = b"SCENTMOD\x01\x00".to_vec();
    bytes.push(kind.len() as u8);
    bytes.extend_from_slice(kind);
    bytes.extend_from_slice(&Everything::VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(body).to_le_bytes());
    bytes.extend_from_slice(body);
    bytes
}

#[test]
fn a_length_that_a_body_merely_claims_allocates_nothing() {
    // A vectoriser's settings, then four billion keys in a body of ten bytes.
    let body = [0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2];
    assert_eq!(Everything::from_bytes(&forge(&body)), Err(Damage::Senseless));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_forged_body_is_refused_or_harmless(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        static BODY: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
            let body = postcard::to_stdvec(&everything()).unwrap();
            assert_eq!(forge(&body), everything().to_bytes());
            body
        });
        let mut body = BODY.clone();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if let Ok(model) = Everything::from_bytes(&forge(&body)) {
            use_it(&model);
        }
    }
}
