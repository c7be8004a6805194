//! Encrypted connections, with the feature `tls`.

use crate::setup::{A, fresh, reason, server, spaces};
use keyscape_cluster::encrypted_postgres_for_test;
use keyscape_store::{Db, ReadExt as _};
use keyscape_store_postgres::Options;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::{io::Write as _, path::Path, time::Instant};
use tempfile::NamedTempFile;

/// The engine reports a certificate error at once, not after the 10 seconds for a silent server.
const SOON_SECS: f64 = 5.0;

/// An authority, and the file with its certificate.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: NamedTempFile,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(params.self_signed(&key).unwrap().pem().as_bytes()).unwrap();
        Authority { issuer: Issuer::new(params, key), file }
    }

    /// Returns a certificate for a host, and its private key.
    fn sign(&self, host: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([host.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    fn options(&self) -> Options {
        trusting(self.file.path())
    }
}

/// Returns options that trust the authorities in a file.
fn trusting(file: &Path) -> Options {
    Options { root_certificates: Some(file.to_owned()), ..Options::new() }
}

#[test]
fn connections_are_encrypted_and_the_server_is_verified() {
    let (authority, other) = (Authority::new("right"), Authority::new("other"));
    let (certificate, key) = authority.sign("localhost");
    let Some(server) = encrypted_postgres_for_test(&certificate, &key) else { return };
    let by_number = format!("{}&sslmode=require", fresh(&server.url()));
    let by_name = by_number.replace("127.0.0.1", "localhost");

    let db = Db::new(authority.options().create(&by_name, spaces()).unwrap());
    db.write(|tx| tx.put(A, b"k", b"v")).unwrap();
    assert!(db.read().unwrap().contains(A, b"k").unwrap());
    let encrypted = "select bool_and(ssl), count(*) from pg_stat_ssl join pg_stat_activity \
                     using (pid) where application_name = 'keyscape'";
    assert_eq!(server.sql(encrypted).unwrap().trim(), "t|1");

    let failed = |options: Options, address: &str| {
        let begin = Instant::now();
        let error = options.open(address, spaces()).unwrap_err();
        let time = begin.elapsed().as_secs_f64();
        assert!(time < SOON_SECS, "{time} s: {error:?}");
        reason(&error)
    };
    let untrusted = failed(other.options(), &by_name);
    assert!(untrusted.contains("invalid peer certificate: UnknownIssuer"), "{untrusted}");
    assert!(untrusted.contains("Options::root_certificates"), "{untrusted}");
    let misnamed = failed(authority.options(), &by_number);
    assert!(misnamed.contains("certificate not valid for name \"127.0.0.1\""), "{misnamed}");
    let missing = failed(trusting(Path::new("/nowhere")), &by_name);
    assert!(missing.contains("cannot read the certificates of `/nowhere`"), "{missing}");
}

#[test]
fn a_server_without_encryption_is_an_error_if_it_is_required() {
    let Some(server) = server() else { return };
    let address = format!("{}&sslmode=require", fresh(&server.url()));
    let begin = Instant::now();
    let error = Authority::new("any").options().open(&address, spaces()).unwrap_err();
    assert!(begin.elapsed().as_secs_f64() < SOON_SECS);
    assert!(reason(&error).contains("server does not support TLS"), "{error:?}");
    assert!(reason(&error).contains("set `ssl = on` on the server"), "{error:?}");
}
