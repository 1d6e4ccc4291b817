//! Chooses the replica that has the prompt's prefix in its cache.

use std::collections::HashMap;

/// How many tokens of a prefix are hashed.
pub const PREFIX_TOKENS: usize = 256;

pub struct Router {
    by_prefix: HashMap<u64, usize>,
    replicas: usize,
}

impl Router {
    pub fn choose(&mut self, prefix: u64) -> usize {
        let replicas = self.replicas;
        *self.by_prefix.entry(prefix).or_insert_with(|| prefix as usize % replicas)
    }
}
