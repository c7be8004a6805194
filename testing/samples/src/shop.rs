//! A shop: a map with two indexes, an item and a sequence.

use keyscape::{BadValue, DomainError, ValueForm};

keyscape::layout!(
    r#"
    store shop
    type Ticket = text(r"[a-z]{1,8}")
    /// One row for each order of a user.
    map orders = "o/" {user: u64be} {order: u32be} -> Order
        scan all by user
        scan user by order
    /// Orders by their number.
    index by_order of orders = "n/" {order} {user} -> empty reads const 0x00
        scan order by user
    /// Orders by their ticket.
    index by_ticket of orders = "t/" {ticket: Ticket from value} -> bytes
        unique
        scan all by ticket
    item motto = "m" -> text
    sequence numbers = "s" -> u64be
    "#
);

pub use shop as layout;

/// The value of a row of `orders`, in a form of the program: the amount, then the ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Identifies the order.
    pub ticket: layout::Ticket<'static>,
    /// The price in cents.
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
    fn ticket(&self) -> keyscape::Extracted<layout::Ticket<'_>> {
        Ok(layout::Ticket::from(&self.ticket))
    }
}
