# auto against the best way in hindsight, one point a cell; `table` is what regret_table --format csv
# wrote, `picture` the file to draw.
set datafile separator ','
set terminal pngcairo size 1000,600 font 'sans,10'
set output picture
set title 'auto against the best way in hindsight (medians, 95 % bootstrap intervals)'
set ylabel 'run time / that of the best way'
set xlabel 'cell, in the order of the table'
set grid ytics lc rgb '#dddddd'
set key top left
stats table using 0 skip 1 nooutput
set xrange [-0.5:STATS_records - 0.5]
set yrange [0.9:*]
label(c) = strcol(2).' '.strcol(4).' '.strcol(5).' '.strcol(7).' '.strcol(1)
set xtics rotate by 60 right font ',7' noenhanced
met(c) = strstrt(strcol(c), 'best') == 0
if (STATS_records <= 60) {
  plot 1.05 with lines lc rgb '#888888' dt 2 title '1.05', \
    table using 0:(met(28) ? column('auto_over_best') : NaN):18:19:xtic(label(0)) skip 1 \
      with yerrorbars lc rgb '#2a7f3f' pt 7 title 'aim met', \
    table using 0:(met(28) ? NaN : column('auto_over_best')):18:19 skip 1 \
      with yerrorbars lc rgb '#b03030' pt 7 title 'aim missed'
} else {
  unset xtics
  plot 1.05 with lines lc rgb '#888888' dt 2 title '1.05', \
    table using 0:(met(28) ? $17 : NaN) skip 1 with points lc rgb '#2a7f3f' pt 7 title 'aim met', \
    table using 0:(met(28) ? NaN : $17) skip 1 with points lc rgb '#b03030' pt 7 title 'aim missed'
}
