//! go-plugin's handshake: the line by which a plugin says where it listens and what it speaks.

use std::path::PathBuf;

use crate::wire::Protocol;

/// Where a plugin listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handshake {
    pub protocol: Protocol,
    pub socket: PathBuf,
}

/// `CORE|PROTOCOL|NETWORK|ADDRESS|grpc|CERTIFICATE..`. A plugin that shares no version with us names one of its own.
pub(crate) fn parse(line: &str) -> Result<Handshake, String> {
    let fields: Vec<&str> = line.trim_end().split('|').collect();
    let [core, protocol, network, address, rest @ ..] = fields.as_slice() else {
        return Err("it is no Terraform provider".to_owned());
    };
    if *core != "1" {
        return Err("it speaks another version of the plugin handshake than 1".to_owned());
    }
    if rest.first().is_some_and(|kind| *kind != "grpc") {
        return Err("it speaks net/rpc, which only Terraform up to 0.11 did".to_owned());
    }
    if *network != "unix" {
        return Err("it does not listen on a Unix socket".to_owned());
    }
    let protocol = protocol
        .parse()
        .ok()
        .and_then(Protocol::from_number)
        .ok_or("it speaks neither plugin protocol 5 nor 6")?;
    Ok(Handshake {
        protocol,
        socket: PathBuf::from(address),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_protocol_and_socket() {
        let handshake = parse("1|6|unix|/tmp/plugin1|grpc|\n").unwrap();
        assert_eq!(handshake.protocol, Protocol::V6);
        assert_eq!(handshake.socket, PathBuf::from("/tmp/plugin1"));
        assert!(parse("1|5|unix|/tmp/plugin1|grpc").is_ok());
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            "",
            "Usage: provider",
            "2|5|unix|/s|grpc|",
            "1|4|unix|/s|netrpc|",
            "1|4|unix|/s|grpc|",
            "1|5|tcp|127.0.0.1:1|grpc|",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
