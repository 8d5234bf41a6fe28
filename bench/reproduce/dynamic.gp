# Run times of dynamic and predicted reductions over the imbalance; `data` is what bench/reproduce/dynamic
# writes, `picture` the file to draw, `title_of` what was measured.
set datafile separator ';'
set datafile missing NaN
set terminal pngcairo size 1000,560 font 'sans,10'
set output picture
set title title_of.': time from the first arrival on, over that of bnom' noenhanced
set xlabel 'arrivals uniform over so many rounds (a round: the whole vector on a link)'
set ylabel 'run time / bnom'
set grid lc rgb '#dddddd'
set key outside right noenhanced
set xtics ('0' 0, '1' 1, '5' 2, '20' 3)
set xrange [-0.2:3.2]
set yrange [0:*]
place(rounds) = rounds < 1 ? 0 : rounds < 3 ? 1 : rounds < 10 ? 2 : 3
array plain[4]
stats data using (strcol(2) eq 'bnom' ? (plain[place($1) + 1] = $3) : NaN) nooutput
dynamic = '"local-redirect" "tree-dyn" "non-commut-tree-dyn"'
wrongs = '0 0.5 2 8'
plot for [n in dynamic] data using (strcol(2) eq n ? place($1) : NaN):($3 / plain[place($1) + 1]) \
    with linespoints lw 2 pt 7 title n, \
  for [i = 1:4] data using (strcol(2) eq 'clairvoyant, wrong by '.word(wrongs, i) ? place($1) : NaN):($3 / plain[place($1) + 1]) \
    with linespoints dt i lc rgb '#2a7f3f' pt 5 title 'clairvoyant, wrong by '.word(wrongs, i), \
  for [i = 1:4] data using (strcol(2) eq 'clairvoyant in one piece, wrong by '.word(wrongs, i) ? place($1) : NaN):($3 / plain[place($1) + 1]) \
    with linespoints dt i lc rgb '#b03030' pt 9 title 'one piece, wrong by '.word(wrongs, i)
