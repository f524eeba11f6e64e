//! Where planlens and a plugin that it starts meet on Windows: on a port of this machine. Every user may connect to it, so
//! both show a certificate that only the other one knows, as go-plugin's AutoMTLS does.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use ::process::PrivateDir;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use grpc::Channel;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio_rustls::TlsConnector;

use super::channel::{self, Address};
use super::handshake::Handshake;
use super::process::Refusal;
use crate::find::Environment;

/// The name in both certificates.
const NAME: &str = "localhost";

pub(crate) struct PluginEndpoint {
    /// The certificate of planlens.
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl PluginEndpoint {
    /// Makes the certificate. There is no folder.
    pub fn prepare(_: &Environment) -> Result<(PluginEndpoint, Option<PrivateDir>), String> {
        let endpoint = certified();
        let endpoint =
            endpoint.map_err(|error| format!("no certificate can be made for it: {error}"));
        Ok((endpoint?, None))
    }

    /// No plugin listens elsewhere.
    pub fn prepare_again(
        environment: &Environment,
        _: &Path,
        _: SystemTime,
    ) -> Result<(PluginEndpoint, Option<PrivateDir>), String> {
        PluginEndpoint::prepare(environment)
    }

    /// Tells the plugin who may connect.
    pub fn announce(&self, command: &mut Command) {
        command.env("PLUGIN_CLIENT_CERT", pem(&self.certificate));
    }

    pub async fn connect(self, handshake: &Handshake) -> Result<Channel, Refusal> {
        let Address::Port(address) = handshake.address else {
            return Err("it does not listen on a port".to_owned().into());
        };
        let Some(certificate) = &handshake.certificate else {
            return Err("it does not encrypt connections (AutoMTLS)"
                .to_owned()
                .into());
        };
        let config = self
            .config(certificate)
            .map_err(|error| format!("its certificate can't be used: {error}"))?;
        let connector = TlsConnector::from(Arc::new(config));
        let connected = async {
            let name = ServerName::try_from(NAME).map_err(io::Error::other)?;
            let stream = channel::port(address).await?;
            connector.connect(name, stream).await
        };
        Ok(channel::connect(channel::PORT, connected).await?)
    }

    fn config(self, expected: &str) -> Result<ClientConfig, String> {
        let expected = expected.trim_end_matches('=');
        let expected = STANDARD_NO_PAD.decode(expected);
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = Expected {
            certificate: expected.map_err(|error| error.to_string())?,
            provider: provider.clone(),
        };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_client_auth_cert(vec![self.certificate], self.key)
            .map_err(|error| error.to_string())?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(config)
    }
}

/// A certificate like those of go-plugin, which is its own authority.
fn certified() -> Result<PluginEndpoint, rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![NAME.to_owned()])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ClientAuth,
        ExtendedKeyUsagePurpose::ServerAuth,
    ];
    let certificate = params.self_signed(&key)?;
    Ok(PluginEndpoint {
        certificate: certificate.der().clone(),
        key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
    })
}

fn pem(certificate: &[u8]) -> String {
    let text = STANDARD.encode(certificate);
    let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
    for line in text.as_bytes().chunks(64) {
        pem.push_str(&String::from_utf8_lossy(line));
        pem.push('\n');
    }
    pem + "-----END CERTIFICATE-----\n"
}

/// Takes the certificate that the plugin named when it started, and no other.
#[derive(Debug)]
struct Expected {
    certificate: Vec<u8>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Expected {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match certificate.as_ref() == self.certificate {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(rustls::CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
