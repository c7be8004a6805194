//! stub
pub(crate) fn render(_: &super::facts::Document) -> String {
    String::new()
}
