module keyscape/pd

go 1.16

require github.com/tikv/pd v1.1.0-beta.0.20211118054146-02848d2660ee
