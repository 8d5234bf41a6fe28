# auto against the best way in hindsight, one line a cell; `table` is what regret_table --format csv
# wrote, `picture` the file to draw. Columns 17 to 19: the ratio and its interval; 29: the aims missed.
set datafile separator ','
stats table skip 1 using 17 nooutput
cells = STATS_records
low = STATS_min < 0.95 ? 0.95 * STATS_min : 0.9
height = cells > 60 ? 1200 : 18 * cells + 130
set terminal pngcairo size 1000,height font 'sans,10'
set output picture
set title 'auto against the best way in hindsight (medians, 95 % bootstrap intervals)'
set xlabel 'run time / that of the best way'
set grid xtics lc rgb '#dddddd'
set key outside top right horizontal Left reverse maxrows 1 width 2
set yrange [cells - 0.5:-0.5]
set xrange [low:*]
set ytics font ',9' noenhanced
if (cells > 60) { unset ytics }
set arrow from 1.05, graph 0 to 1.05, graph 1 nohead lc rgb '#888888' dt 2
missed(yes) = (strstrt(strcol(29), 'best') > 0) == yes
label(c) = sprintf('%s: %s %.4g KiB, %s%s, %s', strcol(1), strcol(2), column(4) / 1024, strcol(5), \
                   strlen(strcol(6)) > 0 ? ' ('.strcol(6).')' : '', strcol(7))
plot table skip 1 using 17:0:ytic(label(0)) with points ps 0 notitle, \
  table skip 1 using (missed(0) ? column(17) : NaN):0:18:19 with xerrorbars lc rgb '#2a7f3f' pt 7 \
    title 'within 5 %, upper end within 8 %', \
  table skip 1 using (missed(1) ? column(17) : NaN):0:18:19 with xerrorbars lc rgb '#b03030' pt 7 \
    title 'missed'
