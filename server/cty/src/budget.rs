//! The budget of an evaluation: how many steps it may take, how many bytes it may make, and whether somebody has
//! called it off.
//!
//! Values are charged where they are made, so no function can forget it. A spent budget and a cancellation leave the
//! evaluation by unwinding, as a cancelled query of salsa does: nothing between the innermost loop and
//! [`within`] has to know about them. Outside of [`within`] and [`cancellable`] nothing is limited.
//!
//! Steps and bytes depend on the evaluated text alone, never on the time: the same text stops at the same place on
//! every machine.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Limits of one evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A step is about a value that is made or looked at: some ten nanoseconds.
    pub steps: u64,
    /// Bytes of all values that are made, also of those that are gone at the end. A value that is referred to many
    /// times from inside another counts as often in the size of that: see [`crate::Value::size`].
    pub bytes: u64,
}

impl Limits {
    pub const NONE: Limits = Limits {
        steps: i64::MAX as u64,
        bytes: u64::MAX,
    };
}

/// What an evaluation has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub steps: u64,
    pub bytes: u64,
}

/// Why an evaluation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    Steps,
    Bytes,
    /// A value is nested deeper than [`MAX_DEPTH`].
    Depth,
    Cancelled,
}

/// Tells evaluations to stop. Clones tell the same ones.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops every evaluation that runs, or will run, with a clone of this.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How deep values may be nested while an evaluation is limited: what walks through them recurses.
pub const MAX_DEPTH: u16 = 512;

/// How many steps are taken between two looks at the cancellation.
const STEPS_PER_LOOK: i64 = 1024;

/// How many bytes are made in the time of a step.
const BYTES_PER_STEP: u64 = 64;

struct Meter {
    /// Steps until the next look. It is negative only inside of [`look`].
    until_look: Cell<i64>,
    /// Steps that are left after that.
    steps: Cell<i64>,
    bytes: Cell<u64>,
    limits: Cell<Limits>,
}

thread_local! {
    static METER: Meter = const {
        Meter {
            until_look: Cell::new(i64::MAX),
            steps: Cell::new(0),
            bytes: Cell::new(u64::MAX),
            limits: Cell::new(Limits::NONE),
        }
    };
    static CANCEL: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Charges steps. Does not come back if that is more than what is left.
#[inline]
pub fn spend(steps: usize) {
    METER.with(|meter| {
        let left = meter.until_look.get().saturating_sub_unsigned(steps as u64);
        meter.until_look.set(left);
        if left < 0 {
            look(meter);
        }
    });
}

/// Charges bytes that are about to be made, and the steps that this takes.
#[inline]
pub fn allocate(bytes: usize) {
    METER.with(|meter| match meter.bytes.get().checked_sub(bytes as u64) {
        Some(left) => meter.bytes.set(left),
        None => stop(Stopped::Bytes),
    });
    spend(1 + (bytes as u64 / BYTES_PER_STEP) as usize);
}

/// Stops an evaluation that makes a value of more than all the bytes that it may make, or one that is too deep.
#[inline]
pub(crate) fn check_size(size: u64, depth: u16) {
    METER.with(|meter| {
        let limits = meter.limits.get();
        if size > limits.bytes {
            stop(Stopped::Bytes);
        }
        if depth > MAX_DEPTH && limits != Limits::NONE {
            stop(Stopped::Depth);
        }
    });
}

/// Whether an evaluation on this thread is limited.
pub fn is_limited() -> bool {
    METER.with(|meter| meter.limits.get() != Limits::NONE)
}

/// Runs `work` with limits of its own. What it uses is not charged to an evaluation around it.
pub fn within<T>(limits: Limits, work: impl FnOnce() -> T) -> (Result<T, Stopped>, Spent) {
    METER.with(|meter| {
        let before = (
            meter.until_look.get(),
            meter.steps.get(),
            meter.bytes.get(),
            meter.limits.get(),
        );
        meter.until_look.set(0);
        meter
            .steps
            .set(i64::try_from(limits.steps).unwrap_or(i64::MAX));
        meter.bytes.set(limits.bytes);
        meter.limits.set(limits);
        let result = caught(work);
        let left = meter.steps.get().saturating_add(meter.until_look.get());
        let spent = Spent {
            steps: limits.steps.saturating_sub(left.max(0) as u64),
            bytes: limits.bytes - meter.bytes.get(),
        };
        meter.until_look.set(before.0);
        meter.steps.set(before.1);
        meter.bytes.set(before.2);
        meter.limits.set(before.3);
        (result, spent)
    })
}

/// Runs `work`, with all evaluations inside, until `cancel` says otherwise.
pub fn cancellable<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let before = CANCEL.replace(Some(cancel.clone()));
    let result = match cancel.is_cancelled() {
        true => Err(Stopped::Cancelled),
        false => METER.with(|meter| {
            let outside = meter.limits.get();
            match outside == Limits::NONE {
                true => within(Limits::NONE, work).0,
                false => caught(work),
            }
        }),
    };
    CANCEL.set(before);
    result
}

/// `within`, for work that goes on after it was stopped at a limit. A cancellation leaves the work around it too.
pub fn within_or_leave<T>(limits: Limits, work: impl FnOnce() -> T) -> (Result<T, Stopped>, Spent) {
    let (result, spent) = within(limits, work);
    if let Err(Stopped::Cancelled) = result {
        stop(Stopped::Cancelled);
    }
    (result, spent)
}

/// Runs `work` to its end, whoever cancels it: it changes what must not be left half done. It should be short.
pub fn sheltered<T>(work: impl FnOnce() -> T) -> T {
    let before = CANCEL.replace(None);
    let result = catch_unwind(AssertUnwindSafe(work));
    CANCEL.set(before);
    result.unwrap_or_else(|thrown| resume_unwind(thrown))
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|thrown| match thrown.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panic) => resume_unwind(panic),
    })
}

#[cold]
#[inline(never)]
fn look(meter: &Meter) {
    let is_cancelled =
        CANCEL.with_borrow(|cancel| cancel.as_ref().is_some_and(Cancel::is_cancelled));
    if is_cancelled {
        meter.until_look.set(0);
        stop(Stopped::Cancelled);
    }
    let left = match meter.limits.get() == Limits::NONE {
        true => i64::MAX,
        false => meter.steps.get().saturating_add(meter.until_look.get()),
    };
    if left < 0 {
        meter.until_look.set(0);
        meter.steps.set(0);
        stop(Stopped::Steps);
    }
    let next = left.min(STEPS_PER_LOOK);
    meter.until_look.set(next);
    meter.steps.set(left - next);
}

#[cold]
#[inline(never)]
fn stop(why: Stopped) -> ! {
    resume_unwind(Box::new(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Type, Value};

    const SMALL: Limits = Limits {
        steps: 10_000,
        bytes: 100_000,
    };

    #[test]
    fn values_within_the_budget_are_counted() {
        let (result, spent) = within(SMALL, || {
            spend(7);
            allocate(640);
        });
        assert_eq!(result, Ok(()));
        let steps = 7 + 1 + 10;
        assert_eq!(spent, Spent { steps, bytes: 640 });
    }

    #[test]
    fn an_endless_loop_ends() {
        let (result, spent) = within(SMALL, || {
            loop {
                spend(3);
            }
        });
        let result: Result<(), Stopped> = result;
        assert_eq!(result, Err(Stopped::Steps));
        assert_eq!(spent.steps, SMALL.steps);
    }

    #[test]
    fn a_value_counts_as_often_as_it_is_referred_to() {
        let nested = || {
            let mut value = Value::string("x".repeat(100));
            for _ in 0..10 {
                value = Value::tuple(vec![value; 10]);
            }
            value
        };
        assert_eq!(within(SMALL, nested).0, Err(Stopped::Bytes));
    }

    #[test]
    fn a_value_that_is_nested_too_deep_is_refused() {
        let nested = || {
            (0..1_000).fold(Value::int(1), |value, _| {
                Value::list(Type::Dynamic, vec![value])
            })
        };
        assert_eq!(within(SMALL, nested).0, Err(Stopped::Depth));
    }

    #[test]
    fn limits_inside_do_not_count_outside() {
        let (result, spent) = within(SMALL, || {
            let (inner, _) = within(SMALL, || spend(20_000));
            assert_eq!(inner, Err(Stopped::Steps));
            spend(1);
        });
        assert_eq!(result, Ok(()));
        assert_eq!(spent.steps, 1);
    }

    #[test]
    fn a_cancelled_evaluation_ends_wherever_it_is() {
        let cancel = Cancel::default();
        let result = cancellable(&cancel, || {
            let (inner, _) = within(Limits::NONE, || {
                cancel.cancel();
                loop {
                    spend(1);
                }
            });
            let inner: Result<(), Stopped> = inner;
            inner
        });
        assert_eq!(result, Ok(Err(Stopped::Cancelled)));
        assert_eq!(cancellable(&cancel, || ()), Err(Stopped::Cancelled));
    }

    #[test]
    fn work_that_is_sheltered_is_done() {
        let cancel = Cancel::default();
        let result = cancellable(&cancel, || {
            cancel.cancel();
            sheltered(|| spend(1_000_000));
            sheltered(|| 7)
        });
        assert_eq!(result, Ok(7));
    }

    #[test]
    fn nothing_is_limited_outside() {
        spend(usize::MAX >> 1);
        allocate(1 << 40);
    }
}
