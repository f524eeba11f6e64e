//! Choosing the profile of a root module by its files, the user and the machine, the strongest sign first.

use super::{Product, Profile, Version, feature};

const CHOSEN: &str = "you chose it";

/// Everything that has a say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signs {
    /// The settings `language.product` and `language.version`.
    pub product: Option<Product>,
    pub version: Option<Version>,
    /// The name of a file that only OpenTofu reads.
    pub tofu_file: Option<String>,
    /// The lock file's text.
    pub lock_file: Option<std::sync::Arc<str>>,
    /// Each `required_version`, and whether it is meant for OpenTofu alone.
    pub required: Vec<(bool, String)>,
    /// The programs on the PATH.
    pub installed: Vec<Profile>,
}

/// A profile, and why it is this one, as the end of the sentence "... because".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    pub profile: Profile,
    pub why_product: String,
    pub why_version: String,
}

impl Choice {
    pub fn why(&self) -> String {
        match self.why_product == self.why_version {
            true => self.why_product.clone(),
            false => format!("{}; {}", self.why_product, self.why_version),
        }
    }
}

/// Chooses by the settings, files named for OpenTofu, the hosts in the lock file, `required_version`, the installed
/// program, and else takes the newest Terraform that is known.
pub fn choose(signs: &Signs) -> Choice {
    let (product, why_product) = product(signs);
    let (version, why_version) = version(signs, product);
    Choice {
        profile: Profile { product, version },
        why_product,
        why_version,
    }
}

fn product(signs: &Signs) -> (Product, String) {
    let lock_file = signs.lock_file.as_deref().unwrap_or_default();
    if let Some(product) = signs.product {
        return (product, CHOSEN.into());
    }
    if let Some(file) = &signs.tofu_file {
        return (Product::OpenTofu, format!("{file} is a file of OpenTofu"));
    }
    let hosts = [
        (Product::OpenTofu, "registry.opentofu.org"),
        (Product::Terraform, "registry.terraform.io"),
    ];
    for (product, host) in hosts {
        if lock_file.contains(&format!("provider \"{host}/")) {
            return (product, format!("the lock file has providers of {host}"));
        }
    }
    match signs.installed.as_slice() {
        [only] => (only.product, installed(*only)),
        [] => (
            Product::Terraform,
            "nothing says that it is OpenTofu".into(),
        ),
        [..] => {
            let why = "terraform is on the PATH, as tofu is".into();
            (Product::Terraform, why)
        }
    }
}

fn installed(profile: Profile) -> String {
    format!(
        "{} {} is on the PATH",
        profile.product.command(),
        profile.version
    )
}

fn version(signs: &Signs, product: Product) -> (Version, String) {
    if let Some(version) = signs.version {
        return (version, CHOSEN.into());
    }
    let allows = |version: Version| {
        let profile = Profile { product, version };
        let mut counted = required(signs, profile);
        counted.all(|constraint| constraint.allows(version))
    };
    let written: Vec<&str> = signs
        .required
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    let asked = format!("required_version is {:?}", written.join(", "));
    let on_path = signs
        .installed
        .iter()
        .find(|profile| profile.product == product);
    if let Some(profile) = on_path.filter(|profile| allows(profile.version)) {
        return (profile.version, installed(*profile));
    }
    let known = product.releases().iter().copied();
    let newest = known.clone().max();
    let newest = newest.unwrap_or(Profile::NEWEST_TERRAFORM.version);
    // Where none fits, a version is believed to exist that is named: an older patch, or something newer than this code.
    let named = signs
        .required
        .iter()
        .filter_map(|(_, text)| Constraint::parse(text))
        .flat_map(|constraint| constraint.parts.into_iter().map(|(_, version)| version));
    let newest_of = |versions: &mut dyn Iterator<Item = Version>| {
        versions.filter(|version| allows(*version)).max()
    };
    match newest_of(&mut { known }).or_else(|| newest_of(&mut { named })) {
        Some(version) if version == newest => {
            let newest = format!("{version} is the newest {product} that planlens knows");
            let why = match on_path {
                Some(Profile { version, .. }) => {
                    format!("required_version excludes {version}, and {newest}")
                }
                None => newest,
            };
            (version, why)
        }
        Some(version) => (version, asked),
        None => (
            newest,
            format!("{asked}, which no {product} that planlens knows satisfies"),
        ),
    }
}

/// The constraints that count for a profile.
fn required(signs: &Signs, profile: Profile) -> impl Iterator<Item = Constraint> {
    let own_only = profile.has(feature::OWN_REQUIRED_VERSION);
    signs
        .required
        .iter()
        .filter(move |(is_own, _)| !own_only || *is_own)
        .filter_map(|(_, text)| Constraint::parse(text))
}

/// Versions that a `version` or `required_version` argument allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    parts: Vec<(Operator, Version)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    /// `~>`, with how many numbers were written.
    Pessimistic(usize),
}

impl Constraint {
    /// Reads `>= 1.5, < 2.0` and its like. `None`: not a constraint.
    pub fn parse(text: &str) -> Option<Constraint> {
        if text.trim().is_empty() {
            return Some(Constraint { parts: Vec::new() });
        }
        let parts = text.split(',').map(|part| {
            let part = part.trim();
            let written = part.trim_start_matches(['=', '!', '>', '<', '~']);
            let operator = match &part[..part.len() - written.len()] {
                "" | "=" => Operator::Equal,
                "!=" => Operator::NotEqual,
                ">" => Operator::Greater,
                ">=" => Operator::GreaterOrEqual,
                "<" => Operator::Less,
                "<=" => Operator::LessOrEqual,
                "~>" => Operator::Pessimistic(written.split(['-', '+']).next()?.split('.').count()),
                _ => return None,
            };
            Some((operator, Version::parse(written)?))
        });
        parts
            .collect::<Option<_>>()
            .map(|parts| Constraint { parts })
    }

    pub fn allows(&self, version: Version) -> bool {
        self.parts.iter().all(|(operator, bound)| match operator {
            Operator::Equal => version == *bound,
            Operator::NotEqual => version != *bound,
            Operator::Greater => version > *bound,
            Operator::GreaterOrEqual => version >= *bound,
            Operator::Less => version < *bound,
            Operator::LessOrEqual => version <= *bound,
            // All but the last written number stay.
            Operator::Pessimistic(written) => {
                let is_same_minor = version.minor == bound.minor || *written < 3;
                let is_same_major = version.major == bound.major || *written < 2;
                version >= *bound && is_same_major && is_same_minor
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(signs: &Signs) -> String {
        let choice = choose(signs);
        format!("{} because {}", choice.profile, choice.why())
    }

    fn required(text: &str) -> Vec<(bool, String)> {
        vec![(false, text.into())]
    }

    #[test]
    fn constraints_are_those_of_terraform() {
        let allows = |text: &str, version: &str| {
            Constraint::parse(text)
                .unwrap()
                .allows(Version::parse(version).unwrap())
        };
        for (text, yes, no) in [
            ("1.5.7", "1.5.7", "1.5.6"),
            ("= 1.5", "1.5.0", "1.5.1"),
            ("!= 1.5.0", "1.5.1", "1.5.0"),
            (">= 1.5, < 1.9", "1.8.5", "1.9.0"),
            ("> 1.5", "1.5.1", "1.5.0"),
            ("<= 1.5.0", "1.5.0", "1.5.1"),
            ("~> 1.5.2", "1.5.9", "1.6.0"),
            ("~> 1.5", "1.15.0", "2.0.0"),
            ("~>1", "3.0.0", "0.9.0"),
        ] {
            assert!(allows(text, yes), "{text} allows {yes}");
            assert!(!allows(text, no), "{text} does not allow {no}");
        }
        assert_eq!(Constraint::parse("=> 1"), None);
        assert_eq!(Constraint::parse("latest"), None);
    }

    #[test]
    fn the_strongest_sign_decides() {
        let terraform = Profile::terraform(1, 11, 4);
        let tofu = Profile::opentofu(1, 10, 2);
        let mut signs = Signs::default();
        assert_eq!(
            chosen(&signs),
            "Terraform 1.15.3 because nothing says that it is OpenTofu; 1.15.3 is the newest Terraform that planlens knows"
        );
        signs.installed = vec![tofu];
        assert_eq!(
            chosen(&signs),
            "OpenTofu 1.10.2 because tofu 1.10.2 is on the PATH"
        );
        signs.installed = vec![terraform, tofu];
        assert_eq!(
            chosen(&signs),
            "Terraform 1.11.4 because terraform is on the PATH, as tofu is; terraform 1.11.4 is on the PATH"
        );
        signs.required = required("~> 1.5.0");
        assert_eq!(
            chosen(&signs),
            "Terraform 1.5.7 because terraform is on the PATH, as tofu is; required_version is \"~> 1.5.0\""
        );
        signs.required = required("1.6.2");
        assert_eq!(choose(&signs).profile, Profile::terraform(1, 6, 2));
        signs.required = required(">= 1.5");
        assert_eq!(choose(&signs).profile, terraform);
        signs.lock_file = Some("provider \"registry.opentofu.org/hashicorp/random\" {".into());
        assert_eq!(choose(&signs).profile, tofu);
        signs.lock_file = Some("provider \"registry.terraform.io/hashicorp/random\" {".into());
        assert_eq!(choose(&signs).profile, terraform);
        signs.tofu_file = Some("main.tofu".into());
        assert_eq!(
            chosen(&signs),
            "OpenTofu 1.10.2 because main.tofu is a file of OpenTofu; tofu 1.10.2 is on the PATH"
        );
        signs.product = Some(Product::Terraform);
        signs.version = Some(Version::new(1, 9, 0));
        assert_eq!(chosen(&signs), "Terraform 1.9.0 because you chose it");
    }

    #[test]
    fn opentofu_1_12_ignores_version_constraints_on_terraform() {
        let mut signs = Signs {
            product: Some(Product::OpenTofu),
            required: required("~> 1.14.0"),
            ..Signs::default()
        };
        assert_eq!(choose(&signs).profile, Profile::NEWEST_OPENTOFU);
        signs.required = vec![(true, "~> 1.8.0".into())];
        assert_eq!(choose(&signs).profile, Profile::opentofu(1, 8, 11));
    }

    #[test]
    fn an_unsatisfiable_version_constraint_is_reported() {
        let signs = Signs {
            required: required(">= 2"),
            ..Signs::default()
        };
        let choice = choose(&signs);
        assert_eq!(choice.profile, Profile::terraform(2, 0, 0));
        let signs = Signs {
            required: required("> 2"),
            ..Signs::default()
        };
        let choice = choose(&signs);
        assert_eq!(choice.profile, Profile::NEWEST_TERRAFORM);
        assert_eq!(
            choice.why_version,
            "required_version is \"> 2\", which no Terraform that planlens knows satisfies"
        );
    }
}
