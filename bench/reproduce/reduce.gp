# Figures of docs/clairvoyant.md; `out` is the folder with the CSV files, `study` the one to draw.
set datafile separator ','
set datafile missing NaN
set terminal pngcairo size 900,600 font 'sans,10'
set key outside right
set grid lc rgb '#dddddd'
set linetype 9 lc rgb '#a0522d' pt 9
names = 'clairvoyant bnom rabenseifner ring radix-k pipeline two-tree local-redirect local-redirect-seg'

if (study eq 'balanced') {
  set output out.'/reduce_balanced.png'
  set title 'Equal arrivals, P = 128, simulated (seed 004 Fig. 10)'
  set logscale x 2
  set format x '2^{%L}'
  set xlabel 'bytes'
  set ylabel 'run time / clairvoyant'
  set yrange [0:6]
  plot for [n in names] out.'/reduce_balanced.csv' \
    using (strcol(2) eq n ? $1 : NaN):4 with linespoints lw 1.5 title n
}

if (study eq 'absorption') {
  set output out.'/reduce_absorption.png'
  set title 'Greatest absorption of clairvoyant by the formulas, P = 128 (seed 004 Fig. 6)'
  set logscale x 2
  set format x '2^{%L}'
  set xlabel 'bytes'
  set ylabel 'absorption / balanced run time'
  set yrange [0:1]
  plot for [n in '1 4 16 40 64 256'] out.'/reduce_absorption.csv' \
    using (strcol(2) eq n ? $1 : NaN):3 with linespoints lw 1.5 title n.' segments', \
    out.'/reduce_absorption.csv' using (strcol(2) eq '0' ? $1 : NaN):3 with lines lw 3 lc rgb 'black' \
    title 'N_{opt}, best two-way'
}

if (study eq 'delay') {
  set xlabel 'delay of rank 127 / balanced run time of clairvoyant'
  do for [size in '131072 524288 2097152 4194304 41943040'] {
    label = real(size) >= 1048576 ? sprintf('%g MiB', real(size) / 1048576) \
                                  : sprintf('%g KiB', real(size) / 1024)
    set output out.'/reduce_delay_'.size.'.png'
    set multiplot layout 1,2 title label.', P = 128, one late process, simulated (seed 004 Figs. 12, 13)'
    unset key
    set bmargin 10
    set ylabel 'run time / clairvoyant'
    set yrange [0.5:*]
    plot for [n in names] out.'/reduce_delay.csv' \
      using (strcol(2) eq n && strcol(1) eq size ? $3 : NaN):5 with linespoints lw 1.5 title n
    set key below horizontal maxrows 3 samplen 2
    set ylabel 'absorption / own balanced run time'
    set yrange [*:1]
    plot for [n in names] out.'/reduce_delay.csv' \
      using (strcol(2) eq n && strcol(1) eq size ? $3 : NaN):6 with linespoints lw 1.5 title n
    unset multiplot
  }
}
