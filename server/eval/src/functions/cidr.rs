//! Addresses of networks.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use cty::{Number, Type, Value};
use num_bigint::BigInt;

use super::{strings, text, whole};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    let prefix = || Param::string("prefix");
    vec![
        Function::new("cidrcontains", cidrcontains)
            .takes(Param::string("containing_prefix"))
            .takes(Param::string("contained_ip_or_prefix"))
            .returns(Type::Bool),
        Function::string("cidrhost", cidrhost)
            .takes(prefix())
            .takes(Param::number("hostnum")),
        Function::string("cidrnetmask", cidrnetmask).takes(prefix()),
        Function::string("cidrsubnet", cidrsubnet)
            .takes(prefix())
            .takes(Param::number("newbits"))
            .takes(Param::number("netnum")),
        Function::new("cidrsubnets", cidrsubnets)
            .takes(prefix())
            .takes_more(Param::number("newbits"))
            .returns(Type::list(Type::String))
            .not_null(),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Address {
    number: u128,
    /// 32 or 128.
    bits: u32,
}

/// An address whose bits after the prefix are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: Address,
    prefix_length: u32,
}

impl Address {
    /// Octets may have leading zeros.
    fn parse(text: &str) -> Option<Address> {
        match parse_ipv4(text) {
            Some(number) => Some(Address {
                number: number.into(),
                bits: 32,
            }),
            None => Some(Address {
                number: parse_ipv6(text)?,
                bits: 128,
            }),
        }
    }

    /// The IPv4 address that this is, or stands for in IPv6.
    fn as_ipv4(self) -> Option<u32> {
        match self.bits {
            32 => u32::try_from(self.number).ok(),
            _ if self.number >> 32 == 0xffff => Some(self.number as u32),
            _ => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_ipv4() {
            Some(ipv4) => write!(f, "{}", Ipv4Addr::from(ipv4)),
            None => {
                // In hexadecimal throughout, also where Rust would show the last part as an IPv4 address.
                let segments = Ipv6Addr::from(self.number).segments();
                write!(f, "{}", compressed(segments))
            }
        }
    }
}

fn compressed(segments: [u16; 8]) -> String {
    let (mut best_start, mut best_length) = (0, 1);
    let mut start = 0;
    while start < 8 {
        let length = segments[start..]
            .iter()
            .take_while(|segment| **segment == 0)
            .count();
        if length > best_length {
            (best_start, best_length) = (start, length);
        }
        start += length.max(1);
    }
    let hex = |segments: &[u16]| {
        segments
            .iter()
            .map(|segment| format!("{segment:x}"))
            .collect::<Vec<_>>()
            .join(":")
    };
    match best_length > 1 {
        true => format!(
            "{}::{}",
            hex(&segments[..best_start]),
            hex(&segments[best_start + best_length..])
        ),
        false => hex(&segments),
    }
}

fn parse_ipv4(text: &str) -> Option<u32> {
    let mut number: u32 = 0;
    let mut octets = 0;
    for octet in text.split('.') {
        if octet.is_empty() || !octet.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let octet = octet.trim_start_matches('0');
        let octet: u8 = if octet.is_empty() {
            0
        } else {
            octet.parse().ok()?
        };
        number = (number << 8) | u32::from(octet);
        octets += 1;
        if octets > 4 {
            return None;
        }
    }
    (octets == 4).then_some(number)
}

fn parse_ipv6(text: &str) -> Option<u128> {
    // An IPv4 address at the end may have leading zeros too.
    if let Some((before, ipv4)) = text.rsplit_once(':')
        && ipv4.contains('.')
    {
        let ipv4 = parse_ipv4(ipv4)?;
        let rewritten = format!("{before}:{:x}:{:x}", ipv4 >> 16, ipv4 & 0xffff);
        return rewritten.parse::<Ipv6Addr>().ok().map(u128::from);
    }
    text.parse::<Ipv6Addr>().ok().map(u128::from)
}

impl Network {
    fn parse(text: &str) -> Result<Network, String> {
        let invalid = || format!("invalid CIDR expression: invalid CIDR address: {text}");
        let (address, length) = text.split_once('/').ok_or_else(invalid)?;
        let address = Address::parse(address).ok_or_else(invalid)?;
        if length.is_empty() || !length.bytes().all(|c| c.is_ascii_digit()) {
            return Err(invalid());
        }
        let prefix_length = length
            .parse()
            .ok()
            .filter(|length| *length <= address.bits)
            .ok_or_else(invalid)?;
        Ok(Network::containing(address, prefix_length))
    }

    /// The network of this size that the address is in.
    fn containing(address: Address, prefix_length: u32) -> Network {
        let number = address.number & !host_mask(address.bits, prefix_length);
        Network {
            address: Address { number, ..address },
            prefix_length,
        }
    }

    fn last(self) -> u128 {
        self.address.number | host_mask(self.address.bits, self.prefix_length)
    }
}

/// The bits after the prefix.
fn host_mask(bits: u32, prefix_length: u32) -> u128 {
    match bits.saturating_sub(prefix_length) {
        0 => 0,
        hosts => u128::MAX >> (128 - hosts),
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_mapped = self.address.bits == 128 && self.address.as_ipv4().is_some();
        let prefix_length = if is_mapped {
            self.prefix_length.saturating_sub(96)
        } else {
            self.prefix_length
        };
        write!(f, "{}/{prefix_length}", self.address)
    }
}

fn cidrcontains(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (prefix, contained) = (text(&args[0]), text(&args[1]));
    let network = Network::parse(prefix).map_err(|_| format!("invalid CIDR address: {prefix}"))?;
    let (first, last) = match Address::parse(contained) {
        Some(address) => (address, address.number),
        None => {
            let contained = Network::parse(contained)
                .map_err(|_| format!("invalid IP address or prefix: {contained}"))?;
            (contained.address, contained.last())
        }
    };
    let is_ipv4 = |address: Address| address.as_ipv4().is_some();
    if is_ipv4(first) != is_ipv4(network.address) {
        return Err(format!("address family mismatch: {prefix} vs. {contained}").into());
    }
    Ok(Value::bool(
        network.address.number <= first.number && last <= network.last(),
    ))
}

fn integer(arg: &Value) -> Result<BigInt, CallError> {
    let integer = arg.as_number().and_then(Number::to_bigint);
    integer.ok_or_else(|| CallError::call("value must be a whole number"))
}

fn cidrhost(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let number = integer(&args[1])?;
    let network = Network::parse(text(&args[0]))?;
    let last = BigInt::from(host_mask(network.address.bits, network.prefix_length));
    // A negative number counts from the end.
    let host = match number < BigInt::from(0) {
        true => &last + &number + 1,
        false => number,
    };
    let Some(host) = u128::try_from(&host)
        .ok()
        .filter(|host| BigInt::from(*host) <= last)
    else {
        return Err(format!(
            "prefix of {} does not accommodate a host numbered {host}",
            network.prefix_length
        )
        .into());
    };
    let host = Address {
        number: network.address.number | host,
        ..network.address
    };
    Ok(Value::string(host.to_string()))
}

fn cidrnetmask(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let prefix = text(&args[0]);
    let network = Network::parse(prefix)?;
    if network.address.as_ipv4().is_none() {
        return Err(format!("IPv6 addresses cannot have a netmask: {prefix}").into());
    }
    let bits = network.address.bits;
    let mask = host_mask(bits, 0) & !host_mask(bits, network.prefix_length);
    Ok(Value::string(Address { number: mask, bits }.to_string()))
}

fn cidrsubnet(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let new_bits = whole(&args[1])?;
    let number = integer(&args[2])?;
    let network = Network::parse(text(&args[0]))?;
    let Network {
        address,
        prefix_length,
    } = network;
    let length = i64::from(prefix_length).checked_add(new_bits);
    let Some(length) = length
        .and_then(|length| u32::try_from(length).ok())
        .filter(|length| *length <= address.bits)
    else {
        return Err(format!(
            "insufficient address space to extend prefix of {prefix_length} by {new_bits}"
        )
        .into());
    };
    let most = match u32::try_from(new_bits) {
        Ok(new_bits @ 0..64) => (1_u128 << new_bits) - 1,
        Ok(_) | Err(_) => u128::from(u64::MAX),
    };
    let too_large = || -> CallError {
        format!("prefix extension of {new_bits} does not accommodate a subnet numbered {number}")
            .into()
    };
    if number > BigInt::from(most) {
        return Err(too_large());
    }
    // A negative number is not refused, and the sign of the result is dropped.
    let shifted = &number << (address.bits - length);
    let joined = BigInt::from(address.number) | shifted;
    let joined = u128::try_from(joined.magnitude()).map_err(|_| too_large())?;
    let address = Address {
        number: joined & host_mask(address.bits, 0),
        ..address
    };
    Ok(Value::string(
        Network {
            address,
            prefix_length: length,
        }
        .to_string(),
    ))
}

fn cidrsubnets(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let network = Network::parse(text(&args[0])).map_err(|error| CallError::argument(0, error))?;
    let bits = network.address.bits;
    let mut previous: Option<Network> = None;
    // Terraform starts from the subnet before the first, which before address zero is the very last one.
    let is_wrapping = network.address.number == 0;
    let mut subnets = Vec::new();
    for (index, arg) in args.iter().enumerate().skip(1) {
        let new_bits = whole(arg).map_err(|error| CallError::argument(index, error))?;
        if new_bits < 1 {
            return Err(CallError::argument(
                index,
                "must extend prefix by at least one bit",
            ));
        }
        if new_bits > 32 {
            return Err(CallError::argument(
                index,
                "may not extend prefix by more than 32 bits",
            ));
        }
        let length = i64::from(network.prefix_length).saturating_add(new_bits);
        let Some(length) = u32::try_from(length).ok().filter(|length| *length <= bits) else {
            let protocol = if bits == 32 { "IPv4" } else { "IPv6" };
            return Err(CallError::argument(
                index,
                format!(
                    "would extend prefix to {length} bits, which is too long for an {protocol} address"
                ),
            ));
        };
        let start = match previous {
            None if is_wrapping => {
                let last = Address {
                    number: host_mask(bits, 0),
                    bits,
                };
                previous = Some(Network::containing(last, length));
                None
            }
            None => Some(network.address.number),
            // The first multiple of the size after the previous subnet.
            Some(previous) => (previous.last() | host_mask(bits, length))
                .checked_add(1)
                .filter(|start| *start <= network.last()),
        };
        let Some(number) = start else {
            let after = previous.map_or_else(String::new, |previous| previous.to_string());
            return Err(CallError::argument(
                index,
                format!(
                    "not enough remaining address space for a subnet with a prefix of {length} bits \
                     after {after}"
                ),
            ));
        };
        let subnet = Network {
            address: Address { number, bits },
            prefix_length: length,
        };
        subnets.push(subnet.to_string());
        previous = Some(subnet);
    }
    Ok(strings(subnets))
}
