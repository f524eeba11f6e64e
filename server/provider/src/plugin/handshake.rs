//! go-plugin's handshake: the line with a plugin's address and protocol.

use super::channel::Address;
use crate::wire::Protocol;

/// The address of a plugin, and its protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handshake {
    pub protocol: Protocol,
    pub address: Address,
    /// In base64, where connections are encrypted.
    pub certificate: Option<String>,
}

/// `CORE|PROTOCOL|NETWORK|ADDRESS|grpc|CERTIFICATE..`. A plugin that shares no version with us names one of its own.
pub(crate) fn parse(line: &str) -> Result<Handshake, String> {
    let fields: Vec<&str> = line.trim_end().split('|').collect();
    let [core, protocol, network, address, rest @ ..] = fields.as_slice() else {
        return Err("it is not a Terraform provider".to_owned());
    };
    if *core != "1" {
        return Err("it speaks another version of the plugin handshake than 1".to_owned());
    }
    if rest.first().is_some_and(|kind| *kind != "grpc") {
        return Err("it speaks net/rpc, which only Terraform 0.11 and older supported".to_owned());
    }
    let address = Address::parse(network, address)?;
    let protocol = protocol
        .parse()
        .ok()
        .and_then(Protocol::from_number)
        .ok_or("it speaks neither plugin protocol 5 nor 6")?;
    let certificate = rest.get(1).filter(|it| !it.is_empty());
    Ok(Handshake {
        protocol,
        address,
        certificate: certificate.map(|it| (*it).to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_protocol_and_socket() {
        let handshake = parse("1|6|unix|/tmp/plugin1|grpc|\n").unwrap();
        assert_eq!(handshake.protocol, Protocol::V6);
        assert_eq!(handshake.address, Address::Socket("/tmp/plugin1".into()));
        assert_eq!(handshake.certificate, None);
        assert!(parse("1|5|unix|/tmp/plugin1|grpc").is_ok());
        let handshake = parse("1|5|tcp|127.0.0.1:1234|grpc|MIIB\n").unwrap();
        let address = Address::Port(([127, 0, 0, 1], 1234).into());
        assert_eq!(handshake.address, address);
        assert_eq!(handshake.certificate.as_deref(), Some("MIIB"));
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            "",
            "Usage: provider",
            "2|5|unix|/s|grpc|",
            "1|4|unix|/s|netrpc|",
            "1|4|unix|/s|grpc|",
            "1|5|tcp|192.0.2.1:1|grpc|",
            "1|5|tcp|localhost|grpc|",
            "1|5|udp|127.0.0.1:1|grpc|",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
