# Figures of docs/clairvoyant.md; `out` is the folder with the CSV files, `part` is sizes or grid.
set datafile separator ','
set datafile missing NaN
set grid lc rgb '#dddddd'
set logscale xy
set logscale x 2
set format y '%g'
set key left top

if (part eq 'sizes') {
  set terminal pngcairo size 1000,480 font 'sans,10'
  set output out.'/generators.png'
  set xlabel 'P = N'
  set multiplot layout 1,2 title 'Time to make a schedule, order paper (seed 000 Figs. 7 and 8)'
  do for [kind in 'uniform skewed'] {
    set title kind
    set ylabel 'processor time, ms'
    plot for [g in 'linear pairing-heap pairing-heap-filter segment-tree fast'] out.'/generators.csv' \
      using (strcol(6) eq g && strcol(3) eq kind && $1 == $2 ? $1 : NaN):(1e3 * $7) \
      with linespoints lw 1.5 title g
  }
  unset multiplot
} else {
  set terminal pngcairo size 700,480 font 'sans,10'
  set output out.'/generators_grid.png'
  set title 'fast, uniform arrivals, order paper (seed 004 Fig. 9)'
  set xlabel 'P'
  set ylabel 'processor time, ms'
  plot for [n in '8 16 32 128 512'] out.'/generators_grid.csv' \
    using (strcol(2) eq n && strcol(3) eq 'uniform' ? $1 : NaN):(1e3 * $7) \
    with linespoints lw 1.5 title 'N = '.n
}
