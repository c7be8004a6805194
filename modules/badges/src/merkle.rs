//! Proofs that a text is a leaf of a Merkle tree of SHA-256.

use sha2::{Digest as _, Sha256};

/// A proof that a text is a leaf of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerkleProof {
    /// The leaf. Challenges that use the initiator's address as leaf ignore this text.
    pub leaf: String,
    /// The siblings from the leaf to the root.
    pub aunts: Vec<Aunt>,
}

/// A sibling on the path from a leaf to the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aunt {
    /// The digest of the sibling.
    pub digest: [u8; 32],
    /// Whether the sibling is to the right of the path.
    pub on_right: bool,
}

impl MerkleProof {
    /// The largest number of aunts of a proof: the index of a leaf has 64 bits.
    pub const MAX_AUNTS: usize = 64;

    /// Returns the root that the proof leads to from a leaf.
    #[must_use]
    pub fn root(&self, leaf: &str) -> [u8; 32] {
        self.aunts.iter().fold(Sha256::digest(leaf).into(), |node, aunt| aunt.parent(node))
    }

    /// Returns the index of a leaf among the leaves of its level, 0 for the leftmost.
    ///
    /// Each aunt is one bit, starting with the lowest: 1 if the path is the right child. A node
    /// that is joined with itself is the left child, regardless of the side of the aunt in the
    /// proof. Otherwise its leaf would have two indexes and twice the uses. Returns `None` for
    /// paths of more than [`MAX_AUNTS`](Self::MAX_AUNTS).
    #[must_use]
    pub fn leaf_index(&self, leaf: &str) -> Option<u64> {
        if self.aunts.len() > Self::MAX_AUNTS {
            return None;
        }
        let (mut node, mut index): ([u8; 32], u64) = (Sha256::digest(leaf).into(), 0);
        for (bit, aunt) in self.aunts.iter().enumerate() {
            let is_right_child = !aunt.on_right && aunt.digest != node;
            index |= u64::from(is_right_child) << bit;
            node = aunt.parent(node);
        }
        Some(index)
    }
}

impl Aunt {
    /// Returns the parent of a node and its sibling.
    fn parent(&self, node: [u8; 32]) -> [u8; 32] {
        if self.on_right { join(&node, &self.digest) } else { join(&self.digest, &node) }
    }
}

/// Returns the digest of two children.
fn join(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update(left).chain_update(right).finalize().into()
}

/// A complete tree, for issuers and tests.
///
/// ```
/// use keyscape_badges::MerkleTree;
///
/// let tree = MerkleTree::new(["a", "b", "c"]);
/// let proof = tree.proof(2).ok_or("there is a third leaf")?;
/// assert_eq!(proof.root("c"), tree.root());
/// assert_ne!(proof.root("b"), tree.root());
/// assert_eq!(proof.leaf_index("c"), Some(2));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug)]
pub struct MerkleTree {
    leaves: Vec<String>,
    /// The digests of each level, from the leaves up. Every level but the last has an even number.
    levels: Vec<Vec<[u8; 32]>>,
}

impl MerkleTree {
    /// Builds a tree. A level with an odd number of nodes is filled up with zeros.
    ///
    /// Joining the last node with itself, as other trees do, would give its leaf two indexes and so
    /// twice the uses.
    pub fn new<L: Into<String>>(leaves: impl IntoIterator<Item = L>) -> MerkleTree {
        let leaves: Vec<String> = leaves.into_iter().map(Into::into).collect();
        let mut level: Vec<[u8; 32]> =
            leaves.iter().map(|leaf| Sha256::digest(leaf).into()).collect();
        let mut levels = Vec::new();
        while level.len() > 1 {
            if !level.len().is_multiple_of(2) {
                level.push([0; 32]);
            }
            let pairs = level.chunks_exact(2);
            let above = pairs.filter_map(|pair| Some(join(pair.first()?, pair.last()?))).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        MerkleTree { leaves, levels }
    }

    /// Returns the root; zeros for a tree without leaves.
    #[must_use]
    pub fn root(&self) -> [u8; 32] {
        self.levels.last().and_then(|level| level.first()).copied().unwrap_or_default()
    }

    /// Returns the number of aunts of every proof.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// Returns the proof of a leaf.
    #[must_use]
    pub fn proof(&self, leaf: usize) -> Option<MerkleProof> {
        let text = self.leaves.get(leaf)?.clone();
        let mut index = leaf;
        let mut aunts = Vec::new();
        for level in self.levels.iter().take(self.depth()) {
            let on_right = index.is_multiple_of(2);
            let sibling = if on_right { index + 1 } else { index - 1 };
            aunts.push(Aunt { digest: *level.get(sibling)?, on_right });
            index /= 2;
        }
        Some(MerkleProof { leaf: text, aunts })
    }
}
