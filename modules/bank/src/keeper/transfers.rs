//! Transfers of coins between accounts.

use super::{Keeper, accounts, balances, modules};
use crate::{Address, Coins, Error, ErrorKind, Event};
use keyscape::store::Tx;

/// One output of a multi-send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The recipient.
    pub to: Address<'static>,
    /// The coins.
    pub coins: Coins,
}

impl Keeper {
    /// Sends coins that are not locked. Creates an account for a recipient without one, even if the
    /// list of coins is empty, as the SDK does.
    ///
    /// For each coin it reads two balances and writes two, and updates the index of holders. Once
    /// per call it reads the locked coins and looks up the account of the recipient.
    ///
    /// ```
    /// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
    /// # use setup::{address, bank, fund};
    /// use keyscape_bank::{Coins, ErrorKind, Keeper, keeper};
    ///
    /// # let (db, now) = (bank(), 0);
    /// let (ann, bob) = (address(1), address(2));
    /// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
    /// let keeper = Keeper::default();
    /// db.write(|tx| keeper.send(tx, now, &ann, &bob, &"30uatom".parse::<Coins>()?))?;
    /// assert_eq!(keeper::get_all_balances(&db.read()?, &bob)?.to_string(), "30uatom");
    ///
    /// let refused = db.write(|tx| keeper.send(tx, now, &bob, &ann, &"31uatom".parse::<Coins>()?));
    /// let error = refused.err().ok_or("bob has less")?;
    /// assert!(matches!(error.kind(), ErrorKind::Insufficient { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Insufficient`](ErrorKind::Insufficient), [`Overflow`](ErrorKind::Overflow),
    /// [`Restricted`](ErrorKind::Restricted).
    pub fn send(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        to: &Address<'_>,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        let to = self.rules.recipient(tx, from, to, coins)?;
        let locked = self.locked_coins(tx, now, from)?;
        tx.attempt(|tx| {
            take(tx, from, coins, &locked)?;
            self.give(tx, &to, coins)?;
            Ok(vec![
                Event::spent(from, coins),
                Event::received(&to, coins),
                Event::transfer(Some(from), &to, coins),
            ])
        })
    }

    /// Sends coins of one account to several others. The outputs must add up to the input.
    ///
    /// ```
    /// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
    /// # use setup::{address, bank, fund};
    /// use keyscape_bank::{Coins, Keeper, Output, keeper};
    ///
    /// # let (db, now) = (bank(), 0);
    /// # let ann = address(1);
    /// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
    /// let outputs = [
    ///     Output { to: address(2), coins: "1uatom".parse()? },
    ///     Output { to: address(3), coins: "2uatom".parse()? },
    /// ];
    /// let input: Coins = "3uatom".parse()?;
    /// let keeper = Keeper::default();
    /// db.write(|tx| keeper.multi_send(tx, now, &ann, &input, &outputs))?;
    /// assert_eq!(keeper::get_all_balances(&db.read()?, &ann)?.to_string(), "97uatom");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Unbalanced`](ErrorKind::Unbalanced), [`NoOutputs`](ErrorKind::NoOutputs),
    /// [`NoCoins`](ErrorKind::NoCoins) if the input or an output is empty, and as [`Keeper::send`].
    pub fn multi_send(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        input: &Coins,
        outputs: &[Output],
    ) -> Result<Vec<Event>, Error> {
        reject_empty(input)?;
        if outputs.is_empty() {
            return Err(ErrorKind::NoOutputs.into());
        }
        let mut sum = Coins::none();
        for output in outputs {
            reject_empty(&output.coins)?;
            sum = sum.plus(&output.coins)?;
        }
        if sum != *input {
            return Err(ErrorKind::Unbalanced { input: input.clone(), outputs: sum }.into());
        }
        let locked = self.locked_coins(tx, now, from)?;
        tx.attempt(|tx| {
            take(tx, from, input, &locked)?;
            let mut events = vec![Event::spent(from, input)];
            for Output { to, coins } in outputs {
                let to = self.rules.recipient(tx, from, to, coins)?;
                self.give(tx, &to, coins)?;
                events.extend([Event::received(&to, coins), Event::transfer(None, &to, coins)]);
            }
            Ok(events)
        })
    }

    /// Sends coins of a module to an account that may receive coins.
    ///
    /// # Errors
    /// [`Blocked`](ErrorKind::Blocked), [`NoModule`](ErrorKind::NoModule), and as [`Keeper::send`].
    pub fn send_from_module_to_account(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        module: &str,
        to: &Address<'_>,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        self.rules.may_receive(to)?;
        tx.attempt(|tx| {
            let from = modules::ensured(tx, &self.rules, module)?;
            self.send(tx, now, &from, to, coins)
        })
    }

    /// Sends coins of an account to a module. The blocked addresses do not matter.
    ///
    /// # Errors
    /// [`NoModule`](ErrorKind::NoModule), and as [`Keeper::send`].
    pub fn send_from_account_to_module(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        module: &str,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            let to = modules::ensured(tx, &self.rules, module)?;
            self.send(tx, now, from, &to, coins)
        })
    }

    /// Sends coins of a module to another one. The blocked addresses do not matter.
    ///
    /// # Errors
    /// [`NoModule`](ErrorKind::NoModule), and as [`Keeper::send`].
    pub fn send_from_module_to_module(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &str,
        to: &str,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            let from = modules::ensured(tx, &self.rules, from)?;
            let to = modules::ensured(tx, &self.rules, to)?;
            self.send(tx, now, &from, &to, coins)
        })
    }

    /// Adds coins to an address, and creates an account for it if it has none.
    fn give(&self, tx: &mut Tx<'_>, to: &Address<'_>, coins: &Coins) -> Result<(), Error> {
        coins.iter().try_for_each(|coin| balances::credit(tx, to, coin))?;
        accounts::ensure(tx, &self.rules, to)
    }
}

/// Withdraws coins that are not locked.
fn take(tx: &mut Tx<'_>, from: &Address<'_>, coins: &Coins, locked: &Coins) -> Result<(), Error> {
    for coin in coins {
        balances::debit(tx, from, coin, locked.amount_of(&coin.denom))?;
    }
    Ok(())
}

/// Rejects an empty list of coins.
pub(crate) fn reject_empty(coins: &Coins) -> Result<(), Error> {
    if coins.is_empty() { Err(ErrorKind::NoCoins.into()) } else { Ok(()) }
}
