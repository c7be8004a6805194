//~ 10 E0277
//~ says write `impl work::ByTagFields for Task { fn tag(&self) -> keyscape::Extracted<Vec<work::Tag<'_>>> { … } fn due(&self) -> keyscape::Extracted<Option<u64>> { … } }`
// The value does not implement the extractor of fields that it may lack or have several times.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Task {
    pub tags: Vec<u64>,
    pub due: Option<u64>,
}

keyscape::layout!(r#"
store work
type Tag = text(r"[a-z]+")
map tasks = "t/" {task: u64be} -> json Task
index by_tag of tasks = "g/" {tag: Tag from value each tags} "/" {due: u64be from value optional} {task} -> empty
"#);

fn main() {}
