"""The general inverse geometric model: every branch of an arm whose geometry and pose are numbers.

The method is that of Raghavan and Roth (1993), as an eigenvalue problem like Manocha and Canny's (1994), but of size
16 instead of 24. The way of the data:

    chain            given joints inside the links, virtual joints up to six, lengths divided by the reach
    arrangement      which joint plays which of the six roles in the loop equation
    representation   points and directions as vectors of R¹⁵, on which displacements act linearly
    elimination      joints 6, 1 and 2 are eliminated: a matrix polynomial in tan(θ/2) of one joint
    pencil           the roots of the matrix polynomial are eigenvalues
    backsubstitution null vectors give the other joints
    translations     three prismatic joints: closed form
    polish           Newton's method on the true arm, and the certificate of each branch
    distinct         branches that are close to each other: partners, and one of those that are alike
    continuum        which branches are members of a self-motion
    solve            calls all this, and looks for missing branches
"""
