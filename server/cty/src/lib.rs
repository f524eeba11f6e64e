//! Terraform's type system: types, values (unknown, null, marked), conversion and wire forms.
//!
//! The rules are those of the library that Terraform itself uses (`zclconf/go-cty`); where a
//! result can be seen by a user it is the same to the last digit, character and error message.

pub mod budget;

mod number;
mod ty;

mod marks;
mod path;
mod refinement;
mod value;

mod ops;
mod set;
mod text;
mod walk;

mod conform;
mod convert;
mod unify;

pub mod json;
pub mod msgpack;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use conform::test_conformance;
pub use convert::{
    ConvertError, convert, convert_unsafe_exists, mismatch_message, safe_conversion_exists,
};
pub use marks::{Mark, Marks, PathMarks, is_secret};
pub use number::Number;
pub use ops::OpError;
pub use path::{Path, PathError, PathStep};
pub use refinement::{NumberBound, Refinement, RefinementBuilder, ValueRange};
pub use set::{PathSet, ValueSet};
pub use text::{KNOWN_AFTER_APPLY, quote};
pub use ty::{CapsuleType, ObjectType, Type, TypeError};
pub use unify::{unify, unify_unsafe};
pub use value::{Elements, Entries, Parts, Value};
pub use walk::{transform, try_transform, walk};
