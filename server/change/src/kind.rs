//! What will happen to an object.

use std::ops::AddAssign;

/// What will happen to an object. Names follow Terraform's `plans.Action`, as far as Terraform has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeKind {
    NoOp,
    Create,
    Read,
    Update,
    DeleteThenCreate,
    CreateThenDelete,
    Delete,
    Forget,
    /// A replacement that leaves the old object alone.
    ForgetThenCreate,
    /// An existing object is taken over unchanged.
    Import,
    /// The stored values of the object are read again; the object stays as it is.
    Refresh,
}

impl ChangeKind {
    /// Whether the object is replaced by another one.
    pub fn is_replace(self) -> bool {
        matches!(
            self,
            ChangeKind::DeleteThenCreate
                | ChangeKind::CreateThenDelete
                | ChangeKind::ForgetThenCreate
        )
    }

    /// As a plan marks it in front of a block.
    pub fn symbol(self) -> &'static str {
        match self {
            ChangeKind::NoOp => "",
            ChangeKind::Create => "+",
            ChangeKind::Read => "<=",
            ChangeKind::Update => "~",
            ChangeKind::DeleteThenCreate => "-/+",
            ChangeKind::CreateThenDelete => "+/-",
            ChangeKind::Delete => "-",
            ChangeKind::Forget => ".",
            ChangeKind::ForgetThenCreate => "./+",
            ChangeKind::Import => "=",
            ChangeKind::Refresh => "~=",
        }
    }

    /// The steps that it consists of.
    pub fn steps(self) -> &'static [&'static str] {
        match self {
            ChangeKind::NoOp => &["no-op"],
            ChangeKind::Create => &["create"],
            ChangeKind::Read => &["read"],
            ChangeKind::Update => &["update"],
            ChangeKind::DeleteThenCreate => &["delete", "create"],
            ChangeKind::CreateThenDelete => &["create", "delete"],
            ChangeKind::Delete => &["delete"],
            ChangeKind::Forget => &["forget"],
            ChangeKind::ForgetThenCreate => &["forget", "create"],
            ChangeKind::Import => &["import"],
            ChangeKind::Refresh => &["refresh"],
        }
    }
}

/// How many objects will be added, changed and destroyed, as `terraform plan` counts them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChangeCounts {
    pub add: usize,
    pub change: usize,
    pub destroy: usize,
    /// Of those that are added and destroyed.
    pub replace: usize,
}

impl AddAssign for ChangeCounts {
    fn add_assign(&mut self, other: ChangeCounts) {
        self.add += other.add;
        self.change += other.change;
        self.destroy += other.destroy;
        self.replace += other.replace;
    }
}

impl ChangeCounts {
    pub fn of(kinds: impl IntoIterator<Item = ChangeKind>) -> ChangeCounts {
        let mut counts = ChangeCounts::default();
        for kind in kinds {
            match kind {
                ChangeKind::NoOp
                | ChangeKind::Read
                | ChangeKind::Forget
                | ChangeKind::Import
                | ChangeKind::Refresh => {}
                ChangeKind::Create | ChangeKind::ForgetThenCreate => counts.add += 1,
                ChangeKind::Update => counts.change += 1,
                ChangeKind::Delete => counts.destroy += 1,
                ChangeKind::DeleteThenCreate | ChangeKind::CreateThenDelete => {
                    counts.add += 1;
                    counts.destroy += 1;
                    counts.replace += 1;
                }
            }
        }
        counts
    }
}
