/** The style sheet of `report.html`: light and dark, from a phone to paper, without anything from outside. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fbfbf9;--card:#fff;--ink:#1c2024;--soft:#5b6570;--line:#dcdfe3;--accent:#0b62c4;--good:#1a7a43;--bad:#b3261e;--noise:#8a5a00;--best:#0b62c4;--tint:#eef4fc}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--card:#1c2024;--ink:#e7eaed;--soft:#a3adb8;--line:#353c43;--accent:#78b2ff;--good:#5fd08f;--bad:#ff8a80;--noise:#f0bd5b;--best:#78b2ff;--tint:#1d2a3a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main,header,footer{max-width:60rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.3rem;line-height:1.25;margin:2.5rem 0 .5rem}
h3{font-size:1.02rem;margin:1.5rem 0 .4rem}
p{margin:.4rem 0}
a{color:var(--accent)}
code,.mono{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.soft{color:var(--soft)}
.small{font-size:.875rem}
.found{font-size:1.15rem;font-weight:600;margin:1rem 0 .4rem}
.badge{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .6rem;font-size:.8rem;line-height:1.6;white-space:nowrap}
.strong{font-weight:600}.good,.better{color:var(--good)}.bad,.worse{color:var(--bad)}.noise,.unknown{color:var(--noise)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(13rem,100%),1fr));gap:.75rem;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem}
.card h3{margin:0;font-size:.8rem;font-weight:600;color:var(--soft)}
.card .big{font-size:1.6rem;font-weight:650;line-height:1.25;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);font-size:.875rem;padding-bottom:.25rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line);min-width:4.2rem;overflow-wrap:break-word}
th{font-weight:600;color:var(--soft);font-size:.82rem}
td:last-child{min-width:11rem}td svg{min-width:8rem}
tbody th{color:inherit;font-size:inherit}th .small{font-weight:400}.num{white-space:nowrap}
figure{margin:.75rem 0}
figcaption{color:var(--soft);font-size:.875rem}
svg{display:block;max-width:100%;height:auto}
svg.chart{width:100%;max-width:37rem}
svg text{fill:var(--soft);font:10px system-ui,sans-serif}
.grid{stroke:var(--line);stroke-width:1}.base{stroke:var(--soft);stroke-width:1.2;stroke-dasharray:4 3}
.path{fill:none;stroke:var(--best);stroke-width:1.5;opacity:.55}.bar{stroke:var(--best);stroke-width:2}.other{stroke:var(--soft)}
.dot{fill:var(--card);stroke:var(--soft);stroke-width:1.6}.dot.top{fill:var(--best);stroke:var(--best)}.cross{stroke:var(--bad);stroke-width:2}
.seed{fill:var(--soft);opacity:.75}.mean{fill:var(--best)}.mean.other{fill:var(--soft);stroke:none}.diamond{fill:none;stroke:var(--soft);stroke-width:1.3}
svg .name{fill:var(--ink)}svg .strong{font-weight:650}
.tree,.tree ul{list-style:none;margin:0;padding:0}
.tree ul{margin-left:.45rem;padding-left:.8rem;border-left:1px solid var(--line)}
.tree li{margin:.15rem 0}
.node{padding:.15rem .4rem;border-radius:.3rem}
.node.top{background:var(--tint)}
.node b.value{font-variant-numeric:tabular-nums}
.node summary{cursor:pointer;list-style-position:outside;margin-left:1rem}
.node .about{margin:.15rem 0 .4rem 1rem;padding-left:.6rem;border-left:2px solid var(--line)}
.pics{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(16rem,100%),1fr));gap:.75rem}
.pics img{width:100%;height:auto;background:#fff;border:1px solid var(--line);border-radius:.3rem}
.pics figure{margin:0}
ul.plain{padding-left:1.1rem;margin:.4rem 0}
ol.plain{padding-left:1.4rem;margin:.4rem 0}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.5rem 0;padding:0;font-size:.9rem}
footer{padding:2rem 1rem;color:var(--soft);font-size:.875rem}
@media(max-width:30rem){.tree ul{margin-left:.2rem;padding-left:.45rem}h1{font-size:1.3rem}.found{font-size:1.05rem}}
@media(max-width:40rem){thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}table,caption,tbody,tr,tbody th,td{display:block}tr{border-bottom:1px solid var(--line);padding:.35rem 0}tbody th,td{border:0;padding:.1rem 0;min-width:0}td:empty{display:none}td[data-label]::before{content:attr(data-label) ": ";color:var(--soft);font-size:.82rem}td>svg,td>div{margin-top:.1rem}}
@media print{body{background:#fff}.card,.node.top{break-inside:avoid}nav{display:none}}
`;
