//! Encrypted connections, with the feature `tls`.

use crate::{error::advice, options::Options};
use keyscape_store::StoreError;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns a connector that trusts the given certificates, or those of the system.
pub(crate) fn connector(options: &Options) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore::empty();
    match &options.root_certificates {
        Some(path) => {
            let failed = |error: &dyn std::fmt::Display| {
                let problem =
                    format!("cannot read the certificates of `{}`: {error}", path.display());
                StoreError::from(advice(problem, "name a file with certificates in PEM form"))
            };
            let read = CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))?;
            for certificate in read {
                let certificate = certificate.map_err(|error| failed(&error))?;
                roots.add(certificate).map_err(|error| failed(&error))?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
    }
    if roots.is_empty() {
        let problem = "the system has no certificates of authorities";
        let advice = advice(problem, "name some with `Options::root_certificates`");
        return Err(advice.into());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::backend(crate::ENGINE, error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
