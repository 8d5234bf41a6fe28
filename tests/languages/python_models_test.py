"""pat.predict and pat.schedule, which need no MPI, and start none."""

import doctest
import sys
import unittest

import pat
from pat import predict, schedule


class Predict(unittest.TestCase):
    def test_every_model_foretells_a_steady_time(self):
        for model in predict.models():
            predictor = predict.Predictor(model.name)
            self.assertIsNone(predictor.forecast(), model.name)
            for _ in range(40):
                predictor.observe(0.25)
            forecast = predictor.forecast()
            if forecast is not None:  # some need hints or edges
                self.assertAlmostEqual(forecast.mean_s, 0.25, places=4, msg=model.name)
                self.assertTrue(forecast.lower_s <= forecast.mean_s <= forecast.upper_s)

    def test_hints(self):
        predictor = predict.Predictor("regression")
        for n in range(1, 30):
            predictor.observe(0.01 * n, {"n": n})
        predictor.observe_hint("n", 50)
        self.assertAlmostEqual(predictor.forecast().mean_s, 0.5, delta=0.05)

    def test_foretell_goes_by_the_past_alone(self):
        forecasts = predict.foretell([1.0, 2.0, 3.0], "last")
        self.assertIsNone(forecasts[0])
        self.assertEqual([forecast.mean_s for forecast in forecasts[1:]], [1.0, 2.0])

    def test_mistakes(self):
        with self.assertRaisesRegex(pat.Error, "sma"):
            predict.Predictor("nonsense")
        with self.assertRaisesRegex(pat.Error, "steps is 0"):
            predict.Predictor("last").forecast(0)


class Schedule(unittest.TestCase):
    arrivals = [0.0, 0.02, 0.01, 0.0, 0.005]

    def test_every_algorithm(self):
        for operation in schedule.operations():
            for algorithm in schedule.algorithms(operation):
                if algorithm.name == "mpi":
                    with self.assertRaises(pat.Error):
                        schedule.build(operation, algorithm.name, self.arrivals)
                    continue
                ranks = 4 if algorithm.name in ("recursive-doubling", "neighbour-exchange") else 5
                try:
                    built = schedule.build(operation, algorithm.name, self.arrivals[:ranks], count=64)
                except pat.Error:
                    continue  # not for this number of processes
                self.assertEqual(built.verify(), "", f"{operation} {algorithm.name}")
                sends = sum(step.kind == "send" for rank in range(ranks) for step in built.program(rank))
                self.assertEqual(sends, built.message_count)
                timing = built.simulate()
                self.assertEqual(len(timing.exit_s), ranks)
                self.assertGreaterEqual(timing.run_time_s, 0.02 if ranks == 5 else 0.0)

    def test_following_the_arrivals_is_worth_it(self):
        late_first = [0.05, 0.0, 0.1, 0.02, 0.01]
        time = {name: schedule.build("gather", name, late_first, count=1 << 18).simulate().run_time_s
                for name in ("ls", "sls")}
        self.assertLess(time["sls"], time["ls"])

    def test_wrong_forecast(self):
        built = schedule.build("gather", "sls", self.arrivals)
        self.assertNotEqual(built.simulate(arrivals_s=[0.0] * 5), built.simulate())

    def test_mistakes(self):
        with self.assertRaisesRegex(pat.Error, "gather"):
            schedule.build("nonsense", "sls", self.arrivals)
        with self.assertRaisesRegex(pat.Error, "bsls"):
            schedule.build("gather", "nonsense", self.arrivals)
        with self.assertRaises(pat.Error):
            schedule.build("gather", "sls", [float("nan"), 0.0])
        with self.assertRaisesRegex(pat.Error, "rank 7"):
            schedule.build("gather", "sls", self.arrivals).program(7)


class Package(unittest.TestCase):
    def test_examples_in_the_documentation(self):
        for module in (predict, schedule):
            self.assertEqual(doctest.testmod(module).failed, 0)

    def test_no_mpi(self):
        self.assertNotIn("mpi4py.MPI", sys.modules)
        with open("/proc/self/maps") as maps:
            self.assertNotIn("libmpi", maps.read())


unittest.main()
