//! Towns with hot springs, a baseball site and a cooking site.

use encoding_rs::{EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS, UTF_8};

use super::{Said, Site, link};

const INNS: [(&str, &str); 5] = [
    ("matsu", "松の屋"),
    ("tsuki", "月見荘"),
    ("kawa", "川音旅館"),
    ("yama", "山の湯"),
    ("hana", "花の宿"),
];

fn town(host: &'static str, name: &str, encoding: &'static Encoding, said: Said) -> Site {
    let mut site = Site::new(host, "ja", encoding, said);
    let home = [
        link("/history", "町の歴史"),
        link("/festival", "夏祭り"),
        link("/library", "図書館"),
        link("/inns", "泊まる"),
        link("http://ryouri.test/", "料理のこと"),
    ];
    site.page(
        "/",
        &format!("{name}町"),
        "山と川のある小さな町です。春は桜、秋は紅葉がきれいで、駅前には古い商店街があります。",
        &home,
    );
    site.page(
        "/history",
        &format!("{name}町の歴史"),
        "この町は四百年前に宿場として生まれました。明治のころに鉄道が通り、木材を運ぶ仕事で栄えました。",
        &[link("/", "町のページへ")],
    );
    site.page(
        "/festival",
        "夏祭り",
        "八月の最初の土曜日に、子どもたちが太鼓をたたいて町を歩きます。夜は川辺で花火が上がります。",
        &[link("/", "町のページへ")],
    );
    site.page(
        "/library",
        "町の図書館",
        "図書館は朝九時に開きます。本は二週間まで借りられます。月曜日は休みです。",
        &[link("/", "町のページへ")],
    );
    let inns: Vec<(String, String)> = INNS
        .iter()
        .map(|(path, inn)| link(format!("/inns/{path}"), format!("{inn} 温泉と宿泊の案内")))
        .collect();
    site.page(
        "/inns",
        "泊まる",
        "町には五つの宿があります。どれも駅から歩いて行けます。",
        &inns,
    );
    for (path, inn) in INNS {
        site.wanted(
            &format!("/inns/{path}"),
            &format!("{name}温泉 {inn} 宿泊の案内"),
            &format!(
                "{inn}は源泉かけ流しの露天風呂が自慢の温泉旅館です。宿泊料金は一泊二食付きで一万二千円から。\
                 日帰り入浴もできます。湯めぐりの手形は帳場で買えます。予約は電話でお願いします。"
            ),
            &[link("/inns", "泊まる"), link(format!("/inns/{path}/way"), "道順")],
        );
        site.page(
            &format!("/inns/{path}/way"),
            "道順",
            "駅を出て右へ曲がり、橋を渡ってまっすぐ歩きます。坂の上に見える白い建物がそうです。",
            &[link("/", "町のページへ")],
        );
    }
    site
}

pub(super) fn sites() -> Vec<Site> {
    let mut portal = Site::new("tabi.test", "ja", UTF_8, Said::Page);
    let links = [
        link("http://yakyuu.test/", "野球のニュース"),
        link("http://ryouri.test/", "料理のこと"),
        link("http://yukawa.test/", "湯川町"),
        link("http://ishibashi.test/", "石橋町"),
        link("http://sugitani.test/", "杉谷町"),
    ];
    portal.page(
        "/",
        "町と暮らし",
        "小さな町のページを集めました。野球と料理の話もあります。",
        &links,
    );

    let mut ball = Site::new("yakyuu.test", "ja", EUC_JP, Said::Nowhere);
    let listed: Vec<(String, String)> = (1..=9)
        .map(|at| link(format!("/game/{at}"), format!("第{at}試合")))
        .collect();
    ball.page(
        "/",
        "野球のニュース",
        "昨日の試合は延長十二回まで続き、最後は一点差で決まりました。",
        &listed,
    );
    for at in 1..=9 {
        ball.page(
            &format!("/game/{at}"),
            &format!("第{at}試合の結果"),
            "先発の投手は七回まで無失点でした。八回の裏に四番打者が本塁打を打ち、球場は大きな歓声に包まれました。",
            &[link("/", "野球のニュース")],
        );
    }

    let mut kitchen = Site::new("ryouri.test", "ja", SHIFT_JIS, Said::Page);
    let dishes = ["肉じゃが", "味噌汁", "卵焼き", "焼き魚", "親子丼", "漬物"];
    let listed: Vec<(String, String)> = (1..)
        .zip(dishes)
        .map(|(at, dish)| link(format!("/dish/{at}"), dish))
        .collect();
    kitchen.page(
        "/",
        "料理のこと",
        "家にあるもので作れる料理を集めました。どれも三十分でできます。",
        &listed,
    );
    for (at, dish) in (1..).zip(dishes) {
        kitchen.page(
            &format!("/dish/{at}"),
            dish,
            "材料を洗って小さく切ります。鍋に油をひいて中火でいため、だしと醤油を入れて十分ほど煮ます。",
            &[link("/", "料理のこと")],
        );
    }

    vec![
        portal,
        ball,
        kitchen,
        town(
            "yukawa.test",
            "湯川",
            SHIFT_JIS,
            Said::Header("text/html; charset=Shift_JIS"),
        ),
        town("ishibashi.test", "石橋", EUC_JP, Said::Page),
        town("sugitani.test", "杉谷", ISO_2022_JP, Said::Page),
    ]
}
