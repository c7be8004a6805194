// What the macro makes of this layout, with `keyscape_runtime as rt` for `::keyscape`:
//
//     store shop
//     type Ticket = text(r"[a-z]{1,8}")
//     /// One row for each order of a user.
//     map orders = "o/" {user: u64be} {order: u32be} -> Order
//         scan all by user
//         scan user by order
//     /// Orders by their number.
//     index by_order of orders = "n/" {order} {user} -> empty reads const 0x00
//         scan order by user
//     /// Orders by their ticket.
//     index by_ticket of orders = "t/" {ticket: Ticket from value} -> bytes
//         unique
//         scan all by ticket
//     item motto = "m" -> text
//     sequence numbers = "s" -> u64be
//
// `Order` is a type of the program, with its own form.

use keyscape_runtime::{BadValue, DomainError, ValueForm};

/// What a row of `orders` holds: the amount, then the ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub ticket: layout::Ticket<'static>,
    pub amount: u64,
}

impl ValueForm for Order {
    type View<'v> = Order;
    type Owned = Order;
    type Input<'v> = &'v Order;

    fn encode(order: &Order, out: &mut Vec<u8>) -> Result<(), DomainError> {
        out.extend_from_slice(&order.amount.to_be_bytes());
        out.extend_from_slice(order.ticket.as_str().as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Order, BadValue> {
        let (amount, ticket) =
            bytes.split_first_chunk().ok_or_else(|| BadValue::new("too short"))?;
        let ticket = str::from_utf8(ticket).map_err(BadValue::new)?;
        let ticket = layout::Ticket::new(ticket.to_owned()).map_err(BadValue::new)?;
        Ok(Order { ticket, amount: u64::from_be_bytes(*amount) })
    }

    fn into_owned(view: Order) -> Order {
        view
    }

    fn encode_owned(owned: &Order, out: &mut Vec<u8>) -> Result<(), DomainError> {
        Self::encode(owned, out)
    }
}

impl layout::ByTicketFields for Order {
    fn ticket(&self) -> layout::Ticket<'_> {
        self.ticket.by_ref()
    }
}

#[allow(dead_code, unreachable_pub, reason = "generated code offers more than each program uses")]
pub mod layout {
    use keyscape_codec::{KeyBuf, Malformed, Sink, ValueError, fixed};
    use keyscape_runtime as rt;
    use std::{borrow::Cow, ops::Deref};

    // ---- type Ticket

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Ticket<'k>(Cow<'k, str>);

    impl<'k> Ticket<'k> {
        pub fn new(text: impl Into<Cow<'k, str>>) -> Result<Self, rt::DomainError> {
            let text = text.into();
            if (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase()) {
                return Ok(Self(text));
            }
            let allowed = r#"text(r"[a-z]{1,8}")"#.to_owned();
            Err(rt::DomainError { what: "Ticket", source: ValueError::Outside { allowed } })
        }

        pub fn as_str(&self) -> &str {
            &self.0
        }

        pub fn into_owned(self) -> Ticket<'static> {
            Ticket(Cow::Owned(self.0.into_owned()))
        }

        pub fn by_ref(&self) -> Ticket<'_> {
            Ticket(Cow::Borrowed(&self.0))
        }

        fn parse(bytes: &'k [u8]) -> Result<Self, Malformed> {
            let text = str::from_utf8(bytes).map_err(|_| Malformed { reason: "not UTF-8" })?;
            Self::new(text).map_err(|_| Malformed { reason: "not a Ticket" })
        }
    }

    // ---- map orders

    /// One row for each order of a user.
    #[derive(Clone, Copy, Debug)]
    pub struct Orders;

    pub const ORDERS: Orders = Orders;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct OrdersKey {
        pub user: u64,
        pub order: u32,
    }

    // Concrete types for plain integers, so that literals are inferred.
    impl From<(u64, u32)> for OrdersKey {
        fn from((user, order): (u64, u32)) -> Self {
            Self { user, order }
        }
    }

    impl From<&OrdersKey> for OrdersKey {
        fn from(key: &OrdersKey) -> Self {
            *key
        }
    }

    impl rt::Keyspace for Orders {
        const NAME: &'static str = "orders";
        const SPACE: &'static str = "shop";
        type Buffer = KeyBuf<14>;
        type Key<'k> = OrdersKey;

        fn encode(key: &OrdersKey, out: &mut impl Sink) -> Result<(), rt::DomainError> {
            out.put(b"o/");
            fixed::put_be(key.user, out);
            fixed::put_be(key.order, out);
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<OrdersKey, Malformed> {
            let mut rest = bytes.strip_prefix(b"o/").ok_or(LITERAL)?;
            let user = fixed::take_be(&mut rest)?;
            let order = fixed::parse_be(rest)?;
            Ok(OrdersKey { user, order })
        }

        fn into_owned(key: OrdersKey) -> OrdersKey {
            key
        }
    }

    const LITERAL: Malformed = Malformed { reason: "a literal is missing" };

    impl rt::Rows for Orders {
        type Value = super::Order;
    }

    impl rt::MapRows for Orders {
        const PREFIX: &'static [u8] = b"o/";
        type Indexes = (ByOrder, (ByTicket, ()));
    }

    impl Deref for Orders {
        type Target = rt::Map<Orders>;

        fn deref(&self) -> &rt::Map<Orders> {
            const { &rt::Map::new() }
        }
    }

    /// `scan all by user`
    #[derive(Debug)]
    pub struct OrdersAll;

    impl rt::ScanRows<Orders> for OrdersAll {
        const NAME: &'static str = "all";
    }

    impl rt::By<Orders> for OrdersAll {
        type Field = rt::Be<u64>;
        const LAST: bool = false;
    }

    /// `scan user by order`
    #[derive(Debug)]
    pub struct OrdersUser;

    impl rt::ScanRows<Orders> for OrdersUser {
        const NAME: &'static str = "user";
    }

    impl rt::By<Orders> for OrdersUser {
        type Field = rt::Be<u32>;
        const LAST: bool = true;
    }

    impl Orders {
        pub fn prefix_all(&self) -> rt::Prefix<Orders, OrdersAll> {
            rt::Prefix::<Orders, OrdersAll>::new(|out| {
                out.put(b"o/");
                Ok(())
            })
        }

        pub fn scan_all<'t>(
            &self,
            state: &'t (impl keyscape_store::Read + ?Sized),
        ) -> Result<rt::Scan<'t, Orders, OrdersAll>, rt::Error> {
            self.prefix_all().scan(state)
        }

        pub fn prefix_user(&self, user: u64) -> rt::Prefix<Orders, OrdersUser> {
            rt::Prefix::<Orders, OrdersUser>::new(|out| {
                out.put(b"o/");
                fixed::put_be(user, out);
                Ok(())
            })
        }

        pub fn scan_user<'t>(
            &self,
            state: &'t (impl keyscape_store::Read + ?Sized),
            user: u64,
        ) -> Result<rt::Scan<'t, Orders, OrdersUser>, rt::Error> {
            self.prefix_user(user).scan(state)
        }
    }

    // ---- index by_order: its fields come from the key

    /// Orders by their number.
    #[derive(Clone, Copy, Debug)]
    pub struct ByOrder;

    pub const BY_ORDER: ByOrder = ByOrder;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ByOrderKey {
        pub order: u32,
        pub user: u64,
    }

    impl From<(u32, u64)> for ByOrderKey {
        fn from((order, user): (u32, u64)) -> Self {
            Self { order, user }
        }
    }

    impl From<&ByOrderKey> for ByOrderKey {
        fn from(key: &ByOrderKey) -> Self {
            *key
        }
    }

    impl rt::Keyspace for ByOrder {
        const NAME: &'static str = "by_order";
        const SPACE: &'static str = "shop";
        type Buffer = KeyBuf<14>;
        type Key<'k> = ByOrderKey;

        fn encode(key: &ByOrderKey, out: &mut impl Sink) -> Result<(), rt::DomainError> {
            out.put(b"n/");
            fixed::put_be(key.order, out);
            fixed::put_be(key.user, out);
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<ByOrderKey, Malformed> {
            let mut rest = bytes.strip_prefix(b"n/").ok_or(LITERAL)?;
            let order = fixed::take_be(&mut rest)?;
            let user = fixed::parse_be(rest)?;
            Ok(ByOrderKey { order, user })
        }

        fn into_owned(key: ByOrderKey) -> ByOrderKey {
            key
        }
    }

    #[derive(Debug)]
    pub struct ByOrderReads;

    impl rt::Constant for ByOrderReads {
        const BYTES: &'static [u8] = &[0x00];
    }

    impl rt::Rows for ByOrder {
        type Value = rt::Reads<rt::Empty, rt::Const<ByOrderReads>>;
    }

    impl rt::IndexRows for ByOrder {
        type Map = Orders;
        const PREFIX: &'static [u8] = b"n/";
        const UNIQUE: bool = false;
        const FROM_VALUE: bool = false;

        fn entry_key(
            row: &rt::IndexedRow<'_, '_, Orders>,
            out: &mut impl Sink,
        ) -> Result<(), rt::Error> {
            let key = ByOrderKey { order: row.key.order, user: row.key.user };
            Ok(<Self as rt::Keyspace>::encode(&key, out)?)
        }

        fn owner_key(key: &ByOrderKey, _: &[u8], out: &mut impl Sink) -> Result<(), rt::Error> {
            let key = OrdersKey { user: key.user, order: key.order };
            Ok(<Orders as rt::Keyspace>::encode(&key, out)?)
        }
    }

    impl Deref for ByOrder {
        type Target = rt::Index<ByOrder>;

        fn deref(&self) -> &rt::Index<ByOrder> {
            const { &rt::Index::new() }
        }
    }

    /// `scan order by user`
    #[derive(Debug)]
    pub struct ByOrderOrder;

    impl rt::ScanRows<ByOrder> for ByOrderOrder {
        const NAME: &'static str = "order";
    }

    impl rt::By<ByOrder> for ByOrderOrder {
        type Field = rt::Be<u64>;
        const LAST: bool = true;
    }

    impl ByOrder {
        pub fn prefix_order(&self, order: u32) -> rt::Prefix<ByOrder, ByOrderOrder> {
            rt::Prefix::<ByOrder, ByOrderOrder>::new(|out| {
                out.put(b"n/");
                fixed::put_be(order, out);
                Ok(())
            })
        }

        pub fn scan_order<'t>(
            &self,
            state: &'t (impl keyscape_store::Read + ?Sized),
            order: u32,
        ) -> Result<rt::Scan<'t, ByOrder, ByOrderOrder>, rt::Error> {
            self.prefix_order(order).scan(state)
        }
    }

    // ---- unique index by_ticket: its field comes from the value

    /// Orders by their ticket.
    #[derive(Clone, Copy, Debug)]
    pub struct ByTicket;

    pub const BY_TICKET: ByTicket = ByTicket;

    /// What `by_ticket` takes from a value of `orders`.
    pub trait ByTicketFields {
        fn ticket(&self) -> Ticket<'_>;
    }

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ByTicketKey<'k> {
        pub ticket: Ticket<'k>,
    }

    impl<'k> From<Ticket<'k>> for ByTicketKey<'k> {
        fn from(ticket: Ticket<'k>) -> Self {
            Self { ticket }
        }
    }

    impl<'k> From<&'k ByTicketKey<'_>> for ByTicketKey<'k> {
        fn from(key: &'k ByTicketKey<'_>) -> Self {
            Self { ticket: key.ticket.by_ref() }
        }
    }

    impl rt::Keyspace for ByTicket {
        const NAME: &'static str = "by_ticket";
        const SPACE: &'static str = "shop";
        type Buffer = KeyBuf<10>;
        type Key<'k> = ByTicketKey<'k>;

        fn encode(key: &ByTicketKey<'_>, out: &mut impl Sink) -> Result<(), rt::DomainError> {
            out.put(b"t/");
            out.put(key.ticket.as_str().as_bytes());
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<ByTicketKey<'_>, Malformed> {
            let rest = bytes.strip_prefix(b"t/").ok_or(LITERAL)?;
            Ok(ByTicketKey { ticket: Ticket::parse(rest)? })
        }

        fn into_owned(key: ByTicketKey<'_>) -> ByTicketKey<'static> {
            ByTicketKey { ticket: key.ticket.into_owned() }
        }
    }

    impl rt::Rows for ByTicket {
        type Value = rt::Bytes;
    }

    impl rt::IndexRows for ByTicket {
        type Map = Orders;
        const PREFIX: &'static [u8] = b"t/";
        const UNIQUE: bool = true;
        const FROM_VALUE: bool = true;

        fn entry_key(
            row: &rt::IndexedRow<'_, '_, Orders>,
            out: &mut impl Sink,
        ) -> Result<(), rt::Error> {
            let value = row.value()?;
            let key = ByTicketKey { ticket: ByTicketFields::ticket(&value) };
            Ok(<Self as rt::Keyspace>::encode(&key, out)?)
        }

        fn owner_key(
            _: &ByTicketKey<'_>,
            entry: &[u8],
            out: &mut impl Sink,
        ) -> Result<(), rt::Error> {
            out.put(<Orders as rt::MapRows>::PREFIX);
            out.put(entry);
            Ok(())
        }
    }

    impl Deref for ByTicket {
        type Target = rt::Index<ByTicket>;

        fn deref(&self) -> &rt::Index<ByTicket> {
            const { &rt::Index::new() }
        }
    }

    /// `scan all by ticket`
    #[derive(Debug)]
    pub struct ByTicketAll;

    impl rt::ScanRows<ByTicket> for ByTicketAll {
        const NAME: &'static str = "all";
    }

    impl rt::By<ByTicket> for ByTicketAll {
        type Field = TicketField;
        const LAST: bool = true;
    }

    impl ByTicket {
        pub fn prefix_all(&self) -> rt::Prefix<ByTicket, ByTicketAll> {
            rt::Prefix::<ByTicket, ByTicketAll>::new(|out| {
                out.put(b"t/");
                Ok(())
            })
        }

        pub fn scan_all<'t>(
            &self,
            state: &'t (impl keyscape_store::Read + ?Sized),
        ) -> Result<rt::Scan<'t, ByTicket, ByTicketAll>, rt::Error> {
            self.prefix_all().scan(state)
        }
    }

    // ---- item motto

    #[derive(Clone, Copy, Debug)]
    pub struct Motto;

    pub const MOTTO: Motto = Motto;

    impl rt::Keyspace for Motto {
        const NAME: &'static str = "motto";
        const SPACE: &'static str = "shop";
        type Buffer = KeyBuf<1>;
        type Key<'k> = ();

        fn encode((): &(), out: &mut impl Sink) -> Result<(), rt::DomainError> {
            out.put(b"m");
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<(), Malformed> {
            if bytes == b"m" { Ok(()) } else { Err(LITERAL) }
        }

        fn into_owned((): ()) {}
    }

    impl rt::Rows for Motto {
        type Value = rt::Text;
    }

    impl rt::ItemRows for Motto {
        const KEY: &'static [u8] = b"m";
    }

    impl Deref for Motto {
        type Target = rt::Item<Motto>;

        fn deref(&self) -> &rt::Item<Motto> {
            const { &rt::Item::new() }
        }
    }

    // ---- sequence numbers

    #[derive(Clone, Copy, Debug)]
    pub struct Numbers;

    pub const NUMBERS: Numbers = Numbers;

    impl rt::Keyspace for Numbers {
        const NAME: &'static str = "numbers";
        const SPACE: &'static str = "shop";
        type Buffer = KeyBuf<1>;
        type Key<'k> = ();

        fn encode((): &(), out: &mut impl Sink) -> Result<(), rt::DomainError> {
            out.put(b"s");
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<(), Malformed> {
            if bytes == b"s" { Ok(()) } else { Err(LITERAL) }
        }

        fn into_owned((): ()) {}
    }

    impl rt::Rows for Numbers {
        type Value = rt::Be<u64>;
    }

    impl rt::ItemRows for Numbers {
        const KEY: &'static [u8] = b"s";
    }

    impl rt::SequenceRows for Numbers {}

    impl Deref for Numbers {
        type Target = rt::Sequence<Numbers>;

        fn deref(&self) -> &rt::Sequence<Numbers> {
            const { &rt::Sequence::new() }
        }
    }

    // ---- the fields that bounds are on; integers have theirs in the runtime

    #[derive(Debug)]
    pub struct TicketField;

    impl rt::Field for TicketField {
        type View<'k> = Ticket<'k>;

        fn encode(view: &Ticket<'_>, out: &mut impl Sink) -> Result<(), rt::DomainError> {
            out.put(view.as_str().as_bytes());
            Ok(())
        }

        fn decode(bytes: &[u8]) -> Result<Ticket<'_>, Malformed> {
            Ticket::parse(bytes)
        }

        fn into_owned(view: Ticket<'_>) -> Ticket<'static> {
            view.into_owned()
        }
    }
}
