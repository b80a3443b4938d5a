"""Links and joints as URDF, MJCF and SDF describe them, and the way from them to modified Denavit-Hartenberg frames.

`description` is what a reader of such a file fills in; `simple` makes revolute and prismatic joints of all others,
`bodies` joins links that are fixed on each other, `lines` and `frames` place the frames of Khalil and Kleinfinger,
`parameters` gives their six numbers, and `robot` makes the robot of all of it.
"""
