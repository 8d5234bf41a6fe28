# The broadcasts of seed 003 by their formulas (lines) and simulated (points); `data` begins the names of what
# broadcast_models prints, `picture` is the file to draw.
set datafile separator ';'
set terminal pngcairo size 1300,960 font 'sans,10'
set output picture
colours = '#1f5fa8 #b03030 #2a7f3f #8a5aa8 #c07020 #606060'
ways(file) = system("cut -d';' -f2 ".file." | awk '!seen[$0]++' | sed 's/.*/\"&\"/' | paste -sd' '")
# The lines of one way.
of(way) = "<awk -F';' -v way='".way."' '$2 == way' ".file
set multiplot layout 2,2
set grid lc rgb '#dddddd'
set key left top Left reverse noenhanced samplen 1.5 spacing 1.1
set logscale y
set ylabel 'time in ms'

set title 'Trees over k: 1 KiB, 40 Gbit/s, alpha 40 us'
set xlabel 'k'
set key maxrows 2 width -8
set yrange [0.1:5]
set xrange [2:16]
file = data.'-trees.csv'
list = ways(file)
plot for [i = 1:words(list)] of(word(list, i)) using 1:($3 * 1e3) with lines lc rgb word(colours, i) title word(list, i), \
     for [i = 1:words(list)] of(word(list, i)) using 1:($4 * 1e3) with points pt 7 ps 0.6 lc rgb word(colours, i) notitle
set yrange [*:*]
set xrange [*:*] noextend

set logscale x 4
set format x '%.0b %BB'
set title 'Pipeline over the size of its segments: 128 processes, alpha 50 us, beta 47 ns'
set xlabel 'size of a segment'
set key maxrows auto width 0
file = data.'-segments.csv'
list = ways(file)
plot for [i = 1:words(list)] of(word(list, i)) using 1:($3 * 1e3) with lines lc rgb word(colours, i) title word(list, i), \
     for [i = 1:words(list)] of(word(list, i)) using 1:($4 * 1e3) with points pt 7 ps 0.6 lc rgb word(colours, i) notitle

set title 'Binomial tree and pipeline: 64 processes, 40 Gbit/s, alpha 40 us'
set xlabel 'size of the vector'
file = data.'-crossing.csv'
list = ways(file)
plot for [i = 1:words(list)] of(word(list, i)) using 1:($3 * 1e3) with lines lc rgb word(colours, i) title word(list, i), \
     for [i = 1:words(list)] of(word(list, i)) using 1:($4 * 1e3) with points pt 7 ps 0.6 lc rgb word(colours, i) notitle

set title 'The three broadcasts, and circulant: 128 processes, alpha 50 us, beta 47 ns'
file = data.'-three.csv'
list = ways(file)
plot for [i = 1:words(list)] of(word(list, i)) using 1:($3 * 1e3) with lines lc rgb word(colours, i) title word(list, i), \
     for [i = 1:words(list)] of(word(list, i)) using 1:($4 * 1e3) with points pt 7 ps 0.6 lc rgb word(colours, i) notitle
unset multiplot
