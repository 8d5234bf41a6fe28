# Histograms with a fitted normal density, one panel an algorithm (seed 004, Fig. 11).
# data: algorithm and run time in ms, tabs between; names: the algorithms; picture: the PNG.
set terminal pngcairo size 1200,260*((words(names)+2)/3) font "sans,9"
set output picture
set multiplot layout (words(names)+2)/3,3
set key off
set style fill solid 0.5
set xlabel "run time, ms"
do for [i=1:words(names)] {
  name = word(names, i)
  only(n) = strcol(1) eq name ? column(2) : NaN
  stats data using (only(name)) nooutput
  width = (STATS_max - STATS_min) / 12.0 + 1e-9
  bin(x) = width * (floor((x - STATS_min) / width) + 0.5) + STATS_min
  set boxwidth width
  set title name
  normal(x) = STATS_records * width * exp(-0.5 * ((x - STATS_mean) / STATS_stddev)**2) / (STATS_stddev * sqrt(2 * pi))
  plot [STATS_min - width:STATS_max + width] data using (bin(only(name))):(1.0) smooth frequency with boxes, \
    normal(x) with lines lw 2
}
unset multiplot
