//! Universities, a recipe site and a sports site.

use encoding_rs::{BIG5, GB18030, UTF_8};

use super::{Said, Site, link};

/// A university's texts, in its own characters.
struct University {
    name: &'static str,
    departments: &'static [(&'static str, &'static str)],
    welcome: &'static str,
    list: &'static str,
    school: &'static str,
    about: &'static str,
    examination: &'static str,
    admission: &'static str,
    courses: (&'static str, &'static str),
    teachers: (&'static str, &'static str),
    library: (&'static str, &'static str),
    sports: (&'static str, &'static str),
}

const TRADITIONAL: University = University {
    name: "青山大學",
    departments: &[
        ("cs", "資訊工程"),
        ("ee", "電機工程"),
        ("lit", "中國文學"),
        ("phys", "物理"),
        ("econ", "經濟"),
    ],
    welcome: "歡迎來到本校。校園在山邊，有圖書館、體育館和學生宿舍，春天的時候滿山都是櫻花。",
    list: "系所一覽",
    school: "學系",
    about: "本系有教授二十人，實驗室設備完善，學生常常參加國際競賽，畢業以後在各地工作。",
    examination: "碩士班甄試招生簡章",
    admission: "研究所碩士班甄試報名自十月一日開始。報名資格為大學畢業或應屆畢業生。審查資料包括成績單、推薦函和讀書計畫。\
                第一階段是書面審查，第二階段是口試。招生名額十名，錄取名單公告以後，請依簡章規定報到。",
    courses: (
        "課程表",
        "必修的課有微積分和寫作，選修的課每學期不同，上課時間請看牆上的表。",
    ),
    teachers: ("師資", "老師的研究專長各有不同，辦公時間請先寫信約定。"),
    library: (
        "圖書館",
        "圖書館每天早上八點開門，書可以借三個星期，自習室在二樓。",
    ),
    sports: ("體育館", "體育館有籃球場和游泳池，週末開放，學生憑學生證入場。"),
};

const SIMPLIFIED: University = University {
    name: "长河大学",
    departments: &[
        ("cs", "计算机"),
        ("chem", "化学"),
        ("hist", "历史"),
        ("math", "数学"),
        ("law", "法学"),
    ],
    welcome: "欢迎来到我们学校。校园在河边，有图书馆、体育馆和学生宿舍，秋天的时候银杏很美。",
    list: "院系一览",
    school: "学院",
    about: "本院有教授三十人，实验室设备齐全，学生常常参加国际竞赛，毕业以后在各地工作。",
    examination: "硕士推免招生简章",
    admission: "硕士研究生推免报名从九月十日开始。报名资格是应届本科毕业生。材料包括成绩单、推荐信和研究计划。\
                初审以后参加面试。招生名额十二名，录取名单公告以后，请按照简章的规定确认。",
    courses: (
        "课程表",
        "必修课有微积分和写作，选修课每学期不同，上课时间请看墙上的表。",
    ),
    teachers: ("师资", "老师的研究方向各有不同，办公时间请先写信约好。"),
    library: (
        "图书馆",
        "图书馆每天早上八点开门，书可以借四个星期，自习室在三楼。",
    ),
    sports: ("体育馆", "体育馆有篮球场和游泳池，周末开放，学生凭学生证入场。"),
};

const ISLAND: University = University {
    name: "海島大學",
    departments: &[
        ("ocean", "海洋"),
        ("bio", "生命科學"),
        ("mus", "音樂"),
        ("arch", "建築"),
    ],
    welcome: "本校在海邊，學生可以聽著海浪讀書。校園裡有燈塔、植物園和一座小港口。",
    ..TRADITIONAL
};

fn university(mut site: Site, words: &University) -> Site {
    let home = [
        link("/departments", words.list),
        link("/library", words.library.0),
        link("/sports", words.sports.0),
        link("http://chufang.test/", "食譜"),
    ];
    site.page("/", words.name, words.welcome, &home);
    let listed: Vec<(String, String)> = words
        .departments
        .iter()
        .map(|(path, name)| link(format!("/{path}/"), format!("{name}{}", words.school)))
        .collect();
    site.page("/departments", words.list, words.welcome, &listed);
    for (path, name) in words.departments {
        let title = format!("{name}{}", words.school);
        let links = [
            link(format!("/{path}/courses"), words.courses.0),
            link(format!("/{path}/teachers"), words.teachers.0),
            link(format!("/{path}/admission"), words.examination),
        ];
        site.page(&format!("/{path}/"), &title, words.about, &links);
        let back = [link(format!("/{path}/"), title.as_str())];
        for (at, (name, text)) in [("courses", words.courses), ("teachers", words.teachers)] {
            site.page(&format!("/{path}/{at}"), &format!("{title} {name}"), text, &back);
        }
        let wanted = format!("{name}{}", words.examination);
        site.wanted(&format!("/{path}/admission"), &wanted, words.admission, &back);
    }
    for (path, (title, text)) in [("/library", words.library), ("/sports", words.sports)] {
        site.page(path, title, text, &[link("/", words.name)]);
    }
    site
}

pub(super) fn sites() -> Vec<Site> {
    let mut portal = Site::new("xuexiao.test", "zh", UTF_8, Said::Page);
    let links = [
        link("http://chufang.test/", "今天吃什麼"),
        link("http://qiusai.test/", "球賽新聞"),
        link("http://qingshan.test/", "青山大學"),
        link("http://changhe.test/", "长河大学"),
        link("http://haidao.test/", "海島大學"),
    ];
    portal.page(
        "/",
        "學校和生活",
        "這裡收集各地學校的網站，也有食譜和球賽的消息。",
        &links,
    );

    let mut kitchen = Site::new("chufang.test", "zh", BIG5, Said::Nowhere);
    let dishes = ["番茄炒蛋", "紅燒豆腐", "牛肉麵", "青菜湯", "蔥油餅", "八寶飯"];
    let listed: Vec<(String, String)> = (1..)
        .zip(dishes)
        .map(|(at, dish)| link(format!("/dish/{at}"), dish))
        .collect();
    kitchen.page(
        "/",
        "今天吃什麼",
        "簡單好做的家常菜，每一道只要半個小時。廚房裡有鍋子和爐火就可以開始。",
        &listed,
    );
    for (at, dish) in (1..).zip(dishes) {
        kitchen.page(
            &format!("/dish/{at}"),
            dish,
            "先把材料洗乾淨，切成小塊。鍋子熱了以後放油，用大火炒三分鐘，最後加一點鹽和糖。趁熱吃最好，放涼了就不香了。",
            &[link("/", "所有的菜")],
        );
    }

    let mut games = Site::new(
        "qiusai.test",
        "zh",
        GB18030,
        Said::Header("text/html; charset=gb2312"),
    );
    let listed: Vec<(String, String)> = (1..=8)
        .map(|at| link(format!("/game/{at}"), format!("第{at}场")))
        .collect();
    games.page(
        "/",
        "球赛新闻",
        "昨天的比赛下半场很精彩，主队在最后一分钟进球。",
        &listed,
    );
    for at in 1..=8 {
        games.page(
            &format!("/game/{at}"),
            &format!("第{at}场比赛"),
            "主队开场以后一直进攻，客队的守门员表现很好。中场休息以后下起了雨，球迷都没有离开。",
            &[link("/", "球赛新闻")],
        );
    }

    vec![
        portal,
        kitchen,
        games,
        university(
            Site::new(
                "qingshan.test",
                "zh-Hant",
                BIG5,
                Said::Header("text/html; charset=big5"),
            ),
            &TRADITIONAL,
        ),
        university(
            Site::new("changhe.test", "zh-Hans", GB18030, Said::Page),
            &SIMPLIFIED,
        ),
        university(Site::new("haidao.test", "zh-Hant", UTF_8, Said::Page), &ISLAND),
    ]
}
